// Keyboard, live figures and files in forms. Plain JavaScript for browsers: it is served as it is.
const refreshMs = 5_000;
const waitMs = 10_000;

const isTyping = ({ target }) => target.closest?.('input, textarea, select, [contenteditable]') !== null;

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  if (event.key === '/') {
    const search = document.querySelector('[data-search]');
    if (!search) return;
    event.preventDefault();
    search.focus();
  }
  if (event.key === '?') document.querySelector('[data-keyboard]')?.showModal();
});

/** Regions of the page that are replaced by the same regions of a fresh copy, while somebody looks. */
async function refresh() {
  const regions = [...document.querySelectorAll('[data-live]')];
  if (regions.length === 0) return;
  if (!document.hidden) await replace(regions).catch(() => {});
  setTimeout(refresh, refreshMs);
}

async function replace(regions) {
  // The header keeps the request from counting as a sign that somebody is there.
  const headers = { 'x-refresh': '1' };
  const response = await fetch(location.href, { headers, signal: AbortSignal.timeout(waitMs) });
  // Signed out: the person sees the figures that they have, and signs in with the next click.
  if (!response.ok || response.redirected) return;
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const region of regions) {
    const next = fresh.getElementById(region.id);
    const isInUse = region.contains(document.activeElement) || region.querySelector('details[open]');
    if (next && !isInUse && next.innerHTML !== region.innerHTML) region.replaceChildren(...next.childNodes);
  }
}

setTimeout(refresh, refreshMs);

for (const input of document.querySelectorAll('[data-file-for]')) {
  input.hidden = false;
  input.addEventListener('change', async () => {
    const [file] = input.files;
    const field = document.getElementById(input.dataset.fileFor);
    const bytes = new Uint8Array(await file.arrayBuffer());
    field.value = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  });
}
