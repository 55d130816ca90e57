// The buttons that use a passkey. Plain JavaScript for browsers: it is served as it is.
const waitMs = 30_000;

/** What each error means to the person. */
const reasons = {
  NotAllowedError: 'cancelled',
  AbortError: 'cancelled',
  InvalidStateError: 'registered',
  SecurityError: 'refused',
  NotSupportedError: 'unsupported',
  Refused: 'refused',
};

for (const place of document.querySelectorAll('[data-ceremony]')) {
  const button = place.querySelector('button');
  const texts = JSON.parse(place.dataset.texts);
  const say = (text) => {
    place.querySelector('[role=alert]').textContent = text;
  };
  if (!window.PublicKeyCredential?.parseCreationOptionsFromJSON) say(texts.unsupported);
  button.addEventListener('click', async () => {
    button.disabled = true;
    say('');
    try {
      await run(place.dataset);
      finish(place.dataset);
    } catch (error) {
      say(texts[reasons[error.name]] ?? texts.offline);
      button.disabled = false;
    }
  });
}

/** What the page waits for: a form of this page, or another page. */
function finish({ form, next }) {
  if (form) document.getElementById(form).requestSubmit();
  else location.assign(next || '/people');
}

async function run({ ceremony, at, csrf }) {
  const options = await post(`${at}/options`, {}, csrf);
  const credential =
    ceremony === 'create'
      ? await navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
        })
      : await navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
        });
  await post(at, answerOf(credential.toJSON(), ceremony), csrf);
}

/** Only what the server reads. */
function answerOf({ id, rawId, type, clientExtensionResults, response }, ceremony) {
  const { clientDataJSON, attestationObject, transports, authenticatorData, signature, userHandle } =
    response;
  return {
    id,
    rawId,
    type,
    clientExtensionResults,
    response:
      ceremony === 'create'
        ? { clientDataJSON, attestationObject, transports }
        : { clientDataJSON, authenticatorData, signature, ...(userHandle && { userHandle }) },
  };
}

async function post(address, body, csrf) {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf-token': csrf },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(waitMs),
  });
  if (response.ok) return (await response.json()).data;
  throw Object.assign(new Error(String(response.status)), {
    name: response.status < 500 ? 'Refused' : 'Unavailable',
  });
}
