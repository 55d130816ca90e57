import { type Html, html } from '#platform/http/html';
import type { Language } from '#platform/pages/language';

interface Message {
  title: string;
  text: string;
}

const en = {
  signedInAs: 'Signed in as',
  signOut: 'Sign out',
  requestId: 'Reference',
  toSignIn: 'Go to sign-in',
  provider: 'Use your company sign-in',
  noScript: 'Passkeys need JavaScript: allow it for this page.',
  /** For the script of the page. */
  script: {
    unsupported: 'This browser does not support passkeys. Update it, or use another one.',
    cancelled: 'No passkey was used. Try again when you are ready.',
    registered: 'This device already has a passkey for you. Sign in with it.',
    refused: 'The passkey was not accepted. Try again.',
    offline: 'The server did not answer. Try again in a moment.',
  },
  invitation: {
    title: 'Create your passkey',
    lead: (brand: string) => `You are invited to work with ${brand}.`,
    hint: 'A passkey replaces a password. Your device asks for your fingerprint, face or PIN, and keeps the passkey.',
    create: 'Create a passkey',
    expires: (instant: Html) => html`This link works once, until ${instant}.`,
  },
  signIn: {
    title: 'Sign in',
    lead: 'Use the passkey that you created with your invitation.',
    button: 'Sign in with a passkey',
    lost: 'If you lost it, ask another administrator for a new invitation.',
  },
  account: {
    title: 'Your account',
    name: 'Name',
    email: 'Email',
    role: 'Role',
    passkeys: 'Passkeys',
    created: 'Created',
    lastUsed: 'Last used',
    never: 'Not used yet',
    add: 'Add a passkey',
    removePasskey: 'Remove this passkey',
    addHint: 'For another device. Confirm with the passkey that you have first.',
    sessions: 'Open sessions',
    thisOne: 'this session',
    began: 'Began',
    lastSeen: 'Last request',
    endOthers: 'Sign out everywhere else',
    confirm: 'Confirm with your passkey',
    confirmHint: 'Commands that move money or grant access need a confirmation of the last five minutes.',
    confirmed: 'Confirmed',
    areas: {
      operator: 'Open the console',
      partner: 'Open your partner pages',
      integration: 'Open your app pages',
    },
  },
  signedOut: { title: 'You are signed out', text: 'You can close this page.' } as Message,
  messages: {
    invitation_used: {
      title: 'This invitation was already used',
      text: 'An invitation works once. If you have your passkey, sign in. Otherwise ask for a new invitation.',
    },
    invitation_expired: {
      title: 'This invitation has expired',
      text: 'An invitation works for 72 hours. Ask an administrator for a new one.',
    },
    invitation_not_found: {
      title: 'This invitation does not work',
      text: 'Part of the link may be missing, or a newer invitation replaced it.',
    },
    openid_refused: { title: 'You are not signed in', text: 'The company sign-in did not work. Try again.' },
    openid_unknown: {
      title: 'You are not invited',
      text: 'Your company account is not linked to an invitation. Open the link of your invitation first.',
    },
    openid_other_email: {
      title: 'This invitation is for another email',
      text: 'Sign in at your company with the invited email, or ask for another invitation.',
    },
    foreign_request: {
      title: 'Nothing was changed',
      text: 'We could not confirm that this request came from you. Open the page again and retry.',
    },
    step_up_required: {
      title: 'Confirm first',
      text: 'Confirm with your passkey on the page of your account, then try again.',
    },
    last_passkey: { title: 'Nothing was changed', text: 'This is your last passkey. Add another one first.' },
    too_many_tries: { title: 'Too many tries', text: 'Wait a minute and try again.' },
    400: { title: 'Nothing was changed', text: 'The form was not valid. Open the page again and retry.' },
    404: { title: 'Page not found', text: 'Part of the address may be missing.' },
    503: { title: 'We are not available right now', text: 'Please try again in a moment.' },
    500: { title: 'Something went wrong on our side', text: 'Please try again in a moment.' },
  } as Record<string, Message>,
};

export type Texts = typeof en;

const pt: Texts = {
  signedInAs: 'Você entrou como',
  signOut: 'Sair',
  requestId: 'Referência',
  toSignIn: 'Ir para a entrada',
  provider: 'Usar a entrada da empresa',
  noScript: 'As chaves de acesso precisam de JavaScript: permita-o nesta página.',
  script: {
    unsupported: 'Este navegador não aceita chaves de acesso. Atualize-o ou use outro.',
    cancelled: 'Nenhuma chave de acesso foi usada. Tente de novo quando quiser.',
    registered: 'Este dispositivo já tem uma chave de acesso sua. Entre com ela.',
    refused: 'A chave de acesso não foi aceita. Tente de novo.',
    offline: 'O servidor não respondeu. Tente de novo daqui a pouco.',
  },
  invitation: {
    title: 'Crie sua chave de acesso',
    lead: (brand) => `Você recebeu um convite para trabalhar com ${brand}.`,
    hint: 'A chave de acesso substitui a senha. O dispositivo pede sua digital, seu rosto ou seu PIN e guarda a chave.',
    create: 'Criar chave de acesso',
    expires: (instant) => html`Este link funciona uma vez, até ${instant}.`,
  },
  signIn: {
    title: 'Entrar',
    lead: 'Use a chave de acesso que você criou com o convite.',
    button: 'Entrar com chave de acesso',
    lost: 'Se você a perdeu, peça um novo convite a outro administrador.',
  },
  account: {
    title: 'Sua conta',
    name: 'Nome',
    email: 'E-mail',
    role: 'Função',
    passkeys: 'Chaves de acesso',
    created: 'Criada',
    lastUsed: 'Último uso',
    never: 'Ainda não usada',
    add: 'Adicionar chave de acesso',
    removePasskey: 'Remover esta chave de acesso',
    addHint: 'Para outro dispositivo. Antes, confirme com a chave que você tem.',
    sessions: 'Sessões abertas',
    thisOne: 'esta sessão',
    began: 'Início',
    lastSeen: 'Última requisição',
    endOthers: 'Sair de todas as outras',
    confirm: 'Confirmar com a chave de acesso',
    confirmHint:
      'Comandos que movem dinheiro ou dão acesso exigem uma confirmação dos últimos cinco minutos.',
    confirmed: 'Confirmado',
    areas: {
      operator: 'Abrir o console',
      partner: 'Abrir as páginas do parceiro',
      integration: 'Abrir as páginas do app',
    },
  },
  signedOut: { title: 'Você saiu', text: 'Pode fechar esta página.' },
  messages: {
    invitation_used: {
      title: 'Este convite já foi usado',
      text: 'Um convite funciona uma vez. Se você tem a chave de acesso, entre. Se não, peça um novo convite.',
    },
    invitation_expired: {
      title: 'Este convite expirou',
      text: 'Um convite vale por 72 horas. Peça outro a um administrador.',
    },
    invitation_not_found: {
      title: 'Este convite não funciona',
      text: 'Talvez falte uma parte do link, ou um convite mais novo o substituiu.',
    },
    openid_refused: { title: 'Você não entrou', text: 'A entrada da empresa não funcionou. Tente de novo.' },
    openid_unknown: {
      title: 'Você não foi convidado',
      text: 'Sua conta da empresa não está ligada a um convite. Abra primeiro o link do seu convite.',
    },
    openid_other_email: {
      title: 'Este convite é para outro e-mail',
      text: 'Entre na empresa com o e-mail convidado ou peça outro convite.',
    },
    foreign_request: {
      title: 'Nada foi alterado',
      text: 'Não foi possível confirmar que isto partiu de você. Abra a página de novo e repita.',
    },
    step_up_required: {
      title: 'Confirme antes',
      text: 'Confirme com a chave de acesso na página da sua conta e tente de novo.',
    },
    last_passkey: {
      title: 'Nada foi alterado',
      text: 'Esta é sua última chave de acesso. Antes, adicione outra.',
    },
    too_many_tries: { title: 'Tentativas demais', text: 'Espere um minuto e tente de novo.' },
    400: { title: 'Nada foi alterado', text: 'O formulário não é válido. Abra a página de novo e repita.' },
    404: { title: 'Esta página não existe', text: 'Talvez falte uma parte do endereço.' },
    503: { title: 'Não estamos disponíveis agora', text: 'Tente de novo daqui a pouco.' },
    500: { title: 'Algo deu errado do nosso lado', text: 'Tente de novo daqui a pouco.' },
  },
};

export const texts: Record<Language, Texts> = { en, 'pt-BR': pt };
