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

const age = document.querySelector('[data-age]');
let nextRefresh;

/** Regions of the page that are replaced by the same regions of a fresh copy, while somebody looks. */
async function refresh() {
  clearTimeout(nextRefresh);
  const regions = [...document.querySelectorAll('[data-live]')];
  if (regions.length === 0) return;
  if (!document.hidden) age.hidden = await replace(regions).catch(() => false);
  clearTimeout(nextRefresh);
  nextRefresh = setTimeout(refresh, refreshMs);
}

/** False if there is no fresh copy: the server does not answer, or the session has ended. */
async function replace(regions) {
  // The header keeps the request from counting as a sign that somebody is there.
  const headers = { 'x-refresh': '1' };
  const signal = AbortSignal.timeout(waitMs);
  // Without a session the server redirects to the sign-in page.
  const response = await fetch(location.href, { headers, signal, redirect: 'manual' });
  if (!response.ok) return false;
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const region of regions) {
    const next = fresh.getElementById(region.id);
    const isInUse = region.contains(document.activeElement) || region.querySelector('details[open]');
    if (next && !isInUse && next.innerHTML !== region.innerHTML) region.replaceChildren(...next.childNodes);
  }
  for (const mark of ['[data-age]', '[data-printed]'])
    document.querySelector(mark)?.replaceChildren(...(fresh.querySelector(mark)?.childNodes ?? []));
  return true;
}

nextRefresh = setTimeout(refresh, refreshMs);
// Browsers slow the timers of hidden pages down.
document.addEventListener('visibilitychange', () => document.hidden || refresh());

for (const input of document.querySelectorAll('[data-file-for]')) {
  input.hidden = false;
  input.addEventListener('change', async () => {
    const [file] = input.files;
    const field = document.getElementById(input.dataset.fileFor);
    const bytes = new Uint8Array(await file.arrayBuffer());
    field.value = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  });
}
