// Adds messages to the inbox as they arrive. Plain JavaScript for browsers: it is served as it is.
const list = document.getElementById('messages');
const live = document.getElementById('live');
const everyMs = 1_000;

async function look() {
  try {
    const response = await fetch(`/sandbox/inbox/messages?after=${list.dataset.last}`, {
      signal: AbortSignal.timeout(10_000),
    });
    if (!response.ok) throw new Error(String(response.status));
    const { last, html } = await response.json();
    // The server escaped every value in it.
    if (html) {
      const rows = document.createElement('template');
      rows.innerHTML = html;
      list.prepend(rows.content);
      document.getElementById('empty').hidden = true;
    }
    list.dataset.last = last;
    live.textContent = 'Live';
    live.className = 'status good';
  } catch {
    live.textContent = 'Not connected';
    live.className = 'status bad';
  }
  setTimeout(look, everyMs);
}

setTimeout(look, everyMs);
