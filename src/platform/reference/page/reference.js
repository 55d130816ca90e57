// Runs in the browser: shows the partners' document, or asks for a token and shows the operators' one.

// Nothing may be requested from another host: fonts, the proxy, the agent and telemetry are off.
const settings = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  proxyUrl: '',
  persistAuth: false,
  hideClientButton: true,
  hideModels: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
};
const show = (more) => window.Scalar.createApiReference('#reference', { ...settings, ...more });

const form = document.querySelector('.token');
if (form) form.addEventListener('submit', signIn);
else
  show({
    url: '/openapi.json',
    defaultOpenAllTags: true,
    authentication: { preferredSecurityScheme: 'apiKey' },
  });

async function signIn(event) {
  event.preventDefault();
  const token = form.elements.token.value.trim();
  const fault = form.querySelector('[role=alert]');
  fault.textContent = '';
  try {
    const response = await fetch('/operator/openapi.json', { headers: { authorization: `Bearer ${token}` } });
    const body = await response.json();
    if (!response.ok) throw new Error(response.status === 401 ? 'The token is not valid.' : body.error);
    form.remove();
    const securitySchemes = { operatorToken: { token } };
    show({ content: body, authentication: { preferredSecurityScheme: 'operatorToken', securitySchemes } });
  } catch (error) {
    fault.textContent = error.message;
  }
}
