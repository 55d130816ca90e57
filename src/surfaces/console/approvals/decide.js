// The buttons that decide a payment by a passkey. Plain JavaScript for browsers: it is served as it is.
const waitMs = 30_000;

for (const form of document.querySelectorAll('form[data-decide]')) {
  const { decide, csrf } = form.dataset;
  const texts = JSON.parse(form.dataset.texts);
  const buttons = [...form.querySelectorAll('button')];
  const say = (text) => {
    form.querySelector('[role=alert]').textContent = text;
  };
  form.addEventListener('submit', (event) => event.preventDefault());
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) say(texts.unsupported);
  else for (const button of buttons) button.disabled = false;
  for (const button of buttons)
    button.addEventListener('click', async () => {
      for (const one of buttons) one.disabled = true;
      say('');
      try {
        await run({ decide, csrf, decision: button.value, comment: form.elements.comment.value.trim() });
        location.reload();
      } catch (error) {
        say(wordsFor(error, texts));
        for (const one of buttons) one.disabled = false;
      }
    });
}

function wordsFor(error, texts) {
  if (error.name === 'Refused') return error.message;
  return error.name === 'NotAllowedError' || error.name === 'AbortError' ? texts.cancelled : texts.offline;
}

async function run({ decide, csrf, decision, comment }) {
  const options = await post(`${decide}/options`, { decision }, csrf);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = (await navigator.credentials.get({ publicKey })).toJSON();
  const { id, rawId, type, clientExtensionResults, response } = credential;
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  const signed = { clientDataJSON, authenticatorData, signature, ...(userHandle && { userHandle }) };
  const answer = { id, rawId, type, clientExtensionResults, response: signed };
  await post(decide, { decision, ...(comment && { comment }), answer }, csrf);
}

async function post(address, body, csrf) {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf-token': csrf },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(waitMs),
  });
  const answer = await response.json();
  if (response.ok) return answer.data;
  throw Object.assign(new Error(answer.error), { name: response.status < 500 ? 'Refused' : 'Unavailable' });
}
