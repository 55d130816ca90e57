// The buttons of the sandbox's page. Plain JavaScript for browsers: it is served as it is.
const tour = document.getElementById('tour');
const { key, operator, app, owner, friend, consent } = tour.dataset;
const partner = { authorization: `Bearer ${key}` };
const json = { 'content-type': 'application/json' };
const watchMs = 120_000;
const everyMs = 700;

/** The answer's JSON; errors are shown like answers. */
async function ask(path, options = {}) {
  const response = await fetch(path, { ...options, signal: AbortSignal.timeout(30_000) });
  const text = await response.text();
  let body = text;
  try {
    body = JSON.parse(text);
  } catch {
    // Not JSON: shown as it is.
  }
  return { status: response.status, body };
}

function show(id, title, body) {
  const place = document.getElementById(id);
  place.replaceChildren();
  const heading = document.createElement('p');
  heading.className = 'said';
  heading.textContent = title;
  place.append(heading);
  if (body === undefined) return;
  const text = document.createElement('pre');
  text.textContent = typeof body === 'string' ? body : JSON.stringify(body, null, 2);
  place.append(text);
}

const post = (path, body, headers) =>
  ask(path, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });

const steps = {
  async pay() {
    const externalId = `tour-${Date.now()}`;
    const { status, body } = await post(
      `/api/crypto/${owner}/withdraw`,
      { amount: '12.5', to: friend, externalId },
      partner,
    );
    show('pay', status === 200 ? 'Accepted. Watch it settle below.' : `Refused with ${status}`, body);
    if (status === 200) await watch(externalId);
  },
  watch: () => watch(),
  async history() {
    const { body } = await ask('/api/history?resource=account&feature=account&pageSize=10', {
      headers: partner,
    });
    const lines = body.nodes?.map(({ transactionDate, description, amount, asset, assetSent }) =>
      [
        transactionDate.slice(0, 16).replace('T', ' '),
        `${assetSent ? '-' : '+'}${amount} ${asset}`,
        description,
      ].join('  '),
    );
    show(
      'history',
      lines ? `The newest of ${body.pageInfo.totalCount} lines` : 'Refused',
      lines?.join('\n') ?? body,
    );
  },
  async agent() {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'getAccountBalance' } };
    const { body } = await post('/mcp', call, partner);
    const text = body.result?.content?.[0]?.text;
    show('agent', 'The tool’s answer', text ? JSON.parse(text) : body);
  },
  async share() {
    // Opened first: browsers block windows that open after a wait.
    const page = window.open('', '_blank');
    const { status, body } = await post('/sandbox/consent-link', {}, { authorization: `Bearer ${operator}` });
    if (status !== 200) {
      page?.close();
      return show('share', `Refused with ${status}`, body);
    }
    if (page) page.location.href = body.data.url;
    show(
      'share',
      page ? 'Opened in another tab, signed in as Ana.' : 'Open this link, once and within five minutes:',
      page ? undefined : body.data.url,
    );
  },
  async 'share-second'() {
    const { body } = await ask(`/api/v1/consent/${consent}/user`, { headers: { 'x-api-key': app } });
    show('share', 'What Lumen Credit reads, by an earlier consent', body);
  },
};

/** Follows the newest withdrawal, or one by its external id, until it ends. */
async function watch(externalId) {
  const filter = externalId ? `externalId=${externalId}` : 'perPage=1';
  const startedAt = Date.now();
  const seen = [];
  while (Date.now() - startedAt < watchMs) {
    const { status, body } = await ask(`/api/crypto/${owner}/withdraws?${filter}`, { headers: partner });
    const withdrawal = body.data?.withdraws?.[0];
    if (!withdrawal) return show('watch', `No answer (${status})`, body);
    if (seen.at(-1)?.status !== withdrawal.status) {
      seen.push({ status: withdrawal.status, seconds: (Date.now() - startedAt) / 1000 });
    }
    const path = seen
      .map(({ status, seconds }) => `${seconds.toFixed(1).padStart(5)} s  ${status}`)
      .join('\n');
    const isOver = withdrawal.status === 'completed' || withdrawal.status === 'failed';
    const title = isOver ? `Now ${withdrawal.status}` : `${withdrawal.status} …`;
    const hash = withdrawal.transactionHash ? `\n\ntransaction ${withdrawal.transactionHash}` : '';
    const error = withdrawal.errorMessage ? `\n\n${withdrawal.errorMessage}` : '';
    show('watch', title, `${path}${hash}${error}`);
    if (isOver) return;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

async function simulate(name) {
  const { status, body } = await post('/sandbox/simulate', { name }, { authorization: `Bearer ${operator}` });
  if (status !== 200) return show('simulated', `Refused with ${status}`, body);
  const { text, look } = body.data;
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    const outcomes = [];
    for (const { path, as } of look) {
      const headers = as === 'integration' ? { 'x-api-key': app } : partner;
      outcomes.push((await ask(path, { headers })).body);
    }
    show('simulated', text, outcomes.length === 1 ? outcomes[0] : outcomes);
    const open = JSON.stringify(outcomes).match(/"status":"(queued|pending|processing)"/);
    if (!open) return;
    await new Promise((resolve) => setTimeout(resolve, 1_200));
  }
}

/** One at a time for each button; its text says that it works. */
async function press(button, work) {
  button.disabled = true;
  try {
    await work();
  } catch (error) {
    show(
      button.dataset.step?.replace('-second', '') ?? 'simulated',
      `Something went wrong: ${error.message}`,
    );
  } finally {
    button.disabled = false;
  }
}

async function copy(button) {
  const before = button.textContent;
  await navigator.clipboard.writeText(button.dataset.copy).then(
    () => (button.textContent = 'Copied'),
    () => (button.textContent = 'Select and copy it'),
  );
  setTimeout(() => (button.textContent = before), 1_500);
}

tour.addEventListener('click', ({ target }) => {
  const button = target.closest('button');
  if (!button) return;
  const { step, simulate: name } = button.dataset;
  if (button.dataset.copy !== undefined) void copy(button);
  else if (step) void press(button, steps[step]);
  else if (name) void press(button, () => simulate(name));
});
