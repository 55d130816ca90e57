import type { NewApplication } from '#features/connect/applications';
import { consentScopes } from '#features/connect/consents';
import type { Refusal } from '#platform/errors/errors';
import { type Html, html } from '#platform/http/html';
import { csrfTokenOf } from '#platform/pages/csrf';
import { type Form, readField } from '#platform/pages/form';
import { sanitizeText } from '#platform/values/sanitize-text';
import { type Field, type Reader, renderChoices, renderField } from '#surfaces/frame';
import { renderFault, renderPage } from '../page.ts';
import { texts } from '../texts/index.ts';

const lists = ['purposes', 'redirectUris'] as const;
const lines = ['name', 'homepageUrl', 'privacyUrl', 'logoColor', 'applicantName', 'applicantEmail'] as const;
export const fieldNames = [...lines, ...lists, 'scopes', 'logo'];
const usualColor = '#1a7f5a';

/** What was typed, as `integrations.register` takes it. The schema judges it. */
export function readApplication(typed: Form): NewApplication {
  const field = (name: string) => readField(typed, name).trim();
  const list = (name: string) =>
    field(name)
      .split('\n')
      .map((one) => one.trim())
      .filter((one) => one !== '');
  return {
    name: field('name'),
    logoColor: field('logoColor'),
    purposes: list('purposes'),
    redirectUris: list('redirectUris'),
    scopes: [...(typed.get('scopes') ?? [])] as NewApplication['scopes'],
    homepageUrl: field('homepageUrl') || null,
    privacyUrl: field('privacyUrl') || null,
    applicantName: field('applicantName'),
    applicantEmail: field('applicantEmail'),
    logo: field('logo') || null,
  };
}

interface Typed {
  secret: string;
  typed: Form;
  refusal?: Refusal;
}

export function renderApply(reader: Reader, { secret, typed, refusal }: Typed): string {
  const { apply } = texts[reader.language];
  const faults = refusal?.details ?? [];
  const typedIn = (name: string) => typed.get(name)?.[0] ?? '';
  const field = (name: keyof typeof apply.fields, more: Partial<Field> = {}): Html => {
    const [label, help] = apply.fields[name];
    return renderField({ name, label, help, value: typedIn(name), ...more }, faults);
  };
  const scopes = consentScopes.map((scope) => [scope, apply.scopes[scope]] as const);
  const wrongScopes = faults.filter(({ field }) => field === 'scopes' || field.startsWith('scopes.'));
  return renderPage(reader, {
    title: apply.title,
    body: html`<h1>${apply.title}</h1>
<p class="lead">${apply.lead(sanitizeText(reader.brand.name, 70))}</p>
${renderFault(reader, refusal)}
<form class="command card apply" method="post" action="/developers/apply" enctype="multipart/form-data"><input type="hidden" name="csrf" value="${csrfTokenOf(secret)}">
<h2>${apply.app}</h2>
${field('name', { required: true, maxLength: 100 })}
${field('purposes', { required: true, rows: 3 })}
${renderChoices({ name: 'scopes', label: apply.scopesLabel, help: apply.scopesHelp, choices: scopes }, typed.get('scopes') ?? [])}
${wrongScopes.map(({ message }) => html`<p class="fault" lang="en">${message}</p>`)}
${field('redirectUris', { required: true, rows: 3, placeholder: 'https://app.example.com/back' })}
${field('homepageUrl', { maxLength: 2_000, inputMode: 'url' })}
${field('privacyUrl', { maxLength: 2_000, inputMode: 'url' })}
${field('logoColor', { required: true, maxLength: 7, value: typedIn('logoColor') || usualColor })}
${field('logo', { fileTypes: 'image/png' })}
<h2>${apply.you}</h2>
${field('applicantName', { required: true, maxLength: 200 })}
${field('applicantEmail', { required: true, maxLength: 254, inputMode: 'email' })}
<p class="soft">${apply.next}</p>
<p><button>${apply.send}</button></p></form>
<p class="soft">${apply.known} <a href="/developers">${apply.signIn}</a></p>`,
  });
}
