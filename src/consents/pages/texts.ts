import type { ConsentScope } from '../index.ts';
import { type Html, html } from './html.ts';
import type { Language } from './language.ts';

/** What a page says when it cannot do what was asked. */
interface Message {
  title: string;
  text: string;
}

const en = {
  yes: 'Yes',
  no: 'No',
  nothingOnRecord: 'Nothing on record',
  list: (items: string[]) => new Intl.ListFormat('en', { type: 'conjunction' }).format(items),
  scopes: {
    profile: 'Name',
    email: 'Email address',
    wallet: 'Wallets',
    kyc: 'Verified identity',
  } as Record<ConsentScope, string>,
  fields: {
    'profile.name': 'Full name',
    'profile.given_name': 'First name',
    'profile.family_name': 'Last name',
    'email.address': 'Address',
    'email.verified': 'Verified',
    'wallet.addresses': 'Addresses',
    'wallet.is_business': 'Business wallet',
    'kyc.email': 'Email',
    'kyc.entity_type': 'Kind',
    'kyc.first_name': 'First name',
    'kyc.last_name': 'Last name',
    'kyc.legal_name': 'Legal name',
    'kyc.document_type': 'Document',
    'kyc.document_number': 'Document number',
    'kyc.tax_id': 'Tax id',
  } as Record<string, string>,
  entityTypes: { individual: 'Person', business: 'Business' } as Record<string, string>,
  documentTypes: { passport: 'Passport', cpf: 'CPF', cnpj: 'CNPJ', rg: 'RG' } as Record<string, string>,
  masked: 'Document number and tax id are hidden on this page. They would be shared in full.',
  signedInAs: 'Signed in as',
  signOut: 'Sign out',
  connectedApps: 'Connected apps',
  requestId: 'Reference',

  consent: {
    title: (app: string) => `${app} asks for your data`,
    lead: 'Nothing is shared unless you agree.',
    purpose: 'What for',
    data: 'What would be shared',
    required: 'Required',
    optional: 'Optional',
    howToChoose: 'Tick what you also want to share.',
    duration: 'For how long',
    once: (app: string) => `Once. ${app} can read it a single time.`,
    days: (days: number, until: Html) => html`For ${days === 1 ? '1 day' : `${days} days`}, until ${until}.`,
    untilRevoked: 'Until you stop it.',
    stopAnyTime: (apps: Html) =>
      html`You can see what was read, and stop sharing, at any time under ${apps}.`,
    share: 'Share',
    refuse: 'Don’t share',
    returnsTo: (place: string) => `Either way you go back to ${place}.`,
  },
  apps: {
    title: 'Connected apps',
    lead: 'Who can read your data, and what they read last.',
    empty: 'No app can read your data.',
    emptyHint: 'When an app asks for it and you agree, it appears here.',
    mayRead: 'May read',
    purpose: 'What for',
    since: 'Shared since',
    ends: 'Ends',
    whenRevoked: 'When you stop it',
    afterOneRead: 'After one read',
    lastRead: 'Last read',
    neverRead: 'Not read yet',
    readCount: (count: number) => (count === 1 ? '1 read in all' : `${count} reads in all`),
    what: (fields: string) => `What: ${fields}`,
    reduce: (app: string) => html`Share less<span class="unseen"> with ${app}</span>`,
    reduceHint: 'Untick what should no longer be shared. To share it again later, the app has to ask you.',
    save: 'Save',
    revoke: (app: string) => html`Stop sharing<span class="unseen"> with ${app}</span>`,
    revokeHint: (app: string) => `${app} can then read nothing more, at once. It keeps what it has read.`,
    revokeConfirm: 'Yes, stop sharing',
    ended: 'No longer connected',
    revokedAt: (date: Html) => html`Stopped on ${date}`,
    expiredAt: (date: Html) => html`Ended on ${date}`,
    done: { revoked: 'Sharing has been stopped.', reduced: 'Less is shared now.' } as Record<string, string>,
  },
  signIn: {
    title: 'Please sign in',
    text: 'This page shows personal data, so you need to be signed in. A visit lasts 15 minutes.',
    here: 'Sign in',
    elsewhere: 'Sign in at your provider and open this page again from there.',
  },
  signedOut: { title: 'You are signed out', text: 'You can close this page.' } as Message,
  messages: {
    sign_in_link_used: {
      title: 'This sign-in link was used already',
      text: 'A sign-in link works once. Sign in again to get a new one.',
    },
    sign_in_link_expired: {
      title: 'This sign-in link has expired',
      text: 'A sign-in link works for five minutes. Sign in again to get a new one.',
    },
    sign_in_link_not_found: {
      title: 'This sign-in link does not work',
      text: 'Perhaps a part of it is missing. Sign in again to get a new one.',
    },
    link_used: {
      title: 'This request was answered already',
      text: 'A request can be answered once. What you share now is under Connected apps.',
    },
    link_expired: {
      title: 'This request has expired',
      text: 'Nothing was shared. If you still want to, go back to the app and start again.',
    },
    link_not_found: {
      title: 'There is no such request',
      text: 'Perhaps a part of the link is missing, or the request was made for somebody else. Go back to the app and start again.',
    },
    consent_revoked: {
      title: 'Sharing was stopped already',
      text: 'There is nothing left to change.',
    },
    consent_expired: { title: 'Sharing has ended already', text: 'There is nothing left to change.' },
    consent_not_found: {
      title: 'There is no such connection',
      text: 'It is not among the apps that can read your data.',
    },
    no_scope_left: {
      title: 'Nothing was changed',
      text: 'To share nothing at all any more, choose “Stop sharing”.',
    },
    foreign_form: {
      title: 'Nothing was changed',
      text: 'We could not make sure that this came from you. Open the page again and retry.',
    },
    400: {
      title: 'Nothing was changed',
      text: 'What was sent does not fit the page. Open it again and retry.',
    },
    403: { title: 'This is not yours to open', text: 'You may be signed in as somebody else.' },
    404: { title: 'There is no such page', text: 'Perhaps a part of the address is missing.' },
    409: { title: 'Nothing was changed', text: 'Something else was faster. Open the page again and look.' },
    410: { title: 'This is over', text: 'The link can no longer be used.' },
    503: { title: 'We are not available right now', text: 'Please try again in a moment.' },
    500: { title: 'Something went wrong on our side', text: 'Please try again in a moment.' },
  } as Record<string, Message>,
};

export type Texts = typeof en;

const pt: Texts = {
  yes: 'Sim',
  no: 'Não',
  nothingOnRecord: 'Sem registro',
  list: (items) => new Intl.ListFormat('pt-BR', { type: 'conjunction' }).format(items),
  scopes: {
    profile: 'Nome',
    email: 'E-mail',
    wallet: 'Carteiras',
    kyc: 'Identidade verificada',
  },
  fields: {
    'profile.name': 'Nome completo',
    'profile.given_name': 'Primeiro nome',
    'profile.family_name': 'Sobrenome',
    'email.address': 'Endereço',
    'email.verified': 'Verificado',
    'wallet.addresses': 'Endereços',
    'wallet.is_business': 'Carteira empresarial',
    'kyc.email': 'E-mail',
    'kyc.entity_type': 'Tipo',
    'kyc.first_name': 'Primeiro nome',
    'kyc.last_name': 'Sobrenome',
    'kyc.legal_name': 'Razão social',
    'kyc.document_type': 'Documento',
    'kyc.document_number': 'Número do documento',
    'kyc.tax_id': 'Identificação fiscal',
  },
  entityTypes: { individual: 'Pessoa física', business: 'Pessoa jurídica' },
  documentTypes: { passport: 'Passaporte', cpf: 'CPF', cnpj: 'CNPJ', rg: 'RG' },
  masked:
    'O número do documento e a identificação fiscal estão ocultos nesta página. Seriam compartilhados por inteiro.',
  signedInAs: 'Você entrou como',
  signOut: 'Sair',
  connectedApps: 'Aplicativos conectados',
  requestId: 'Referência',

  consent: {
    title: (app) => `${app} pede seus dados`,
    lead: 'Nada é compartilhado sem a sua autorização.',
    purpose: 'Para quê',
    data: 'O que seria compartilhado',
    required: 'Obrigatório',
    optional: 'Opcional',
    howToChoose: 'Marque o que você também quer compartilhar.',
    duration: 'Por quanto tempo',
    once: (app) => `Uma vez. ${app} pode ler os dados uma única vez.`,
    days: (days, until) => html`Por ${days === 1 ? '1 dia' : `${days} dias`}, até ${until}.`,
    untilRevoked: 'Até você encerrar.',
    stopAnyTime: (apps) =>
      html`Em ${apps}, você vê o que foi lido e pode parar de compartilhar a qualquer momento.`,
    share: 'Compartilhar',
    refuse: 'Não compartilhar',
    returnsTo: (place) => `Nos dois casos, você volta para ${place}.`,
  },
  apps: {
    title: 'Aplicativos conectados',
    lead: 'Quem pode ler seus dados e o que leu por último.',
    empty: 'Nenhum aplicativo pode ler seus dados.',
    emptyHint: 'Quando um aplicativo pedir e você autorizar, ele aparecerá aqui.',
    mayRead: 'Pode ler',
    purpose: 'Para quê',
    since: 'Desde',
    ends: 'Termina',
    whenRevoked: 'Quando você encerrar',
    afterOneRead: 'Depois de uma leitura',
    lastRead: 'Última leitura',
    neverRead: 'Ainda não leu',
    readCount: (count) => (count === 1 ? '1 leitura no total' : `${count} leituras no total`),
    what: (fields) => `O quê: ${fields}`,
    reduce: (app) => html`Compartilhar menos<span class="unseen"> com ${app}</span>`,
    reduceHint:
      'Desmarque o que não deve mais ser compartilhado. Para voltar a compartilhar, o aplicativo terá de pedir de novo.',
    save: 'Salvar',
    revoke: (app) => html`Parar de compartilhar<span class="unseen"> com ${app}</span>`,
    revokeHint: (app) => `${app} não poderá ler mais nada, de imediato. O que já leu fica com ele.`,
    revokeConfirm: 'Sim, parar de compartilhar',
    ended: 'Não mais conectados',
    revokedAt: (date) => html`Encerrado em ${date}`,
    expiredAt: (date) => html`Terminou em ${date}`,
    done: { revoked: 'O compartilhamento foi encerrado.', reduced: 'Agora você compartilha menos.' },
  },
  signIn: {
    title: 'Entre para continuar',
    text: 'Esta página mostra dados pessoais; por isso é preciso entrar. Uma visita dura 15 minutos.',
    here: 'Entrar',
    elsewhere: 'Entre no seu provedor e abra esta página de novo a partir de lá.',
  },
  signedOut: { title: 'Você saiu', text: 'Pode fechar esta página.' },
  messages: {
    sign_in_link_used: {
      title: 'Este link de acesso já foi usado',
      text: 'Um link de acesso funciona uma vez. Entre de novo para receber outro.',
    },
    sign_in_link_expired: {
      title: 'Este link de acesso expirou',
      text: 'Um link de acesso vale por cinco minutos. Entre de novo para receber outro.',
    },
    sign_in_link_not_found: {
      title: 'Este link de acesso não funciona',
      text: 'Talvez falte uma parte dele. Entre de novo para receber outro.',
    },
    link_used: {
      title: 'Este pedido já foi respondido',
      text: 'Um pedido só pode ser respondido uma vez. O que você compartilha está em Aplicativos conectados.',
    },
    link_expired: {
      title: 'Este pedido expirou',
      text: 'Nada foi compartilhado. Se ainda quiser, volte ao aplicativo e comece de novo.',
    },
    link_not_found: {
      title: 'Este pedido não existe',
      text: 'Talvez falte uma parte do link, ou o pedido tenha sido feito para outra pessoa. Volte ao aplicativo e comece de novo.',
    },
    consent_revoked: {
      title: 'O compartilhamento já tinha sido encerrado',
      text: 'Não há mais nada a mudar.',
    },
    consent_expired: { title: 'O compartilhamento já terminou', text: 'Não há mais nada a mudar.' },
    consent_not_found: {
      title: 'Esta conexão não existe',
      text: 'Ela não está entre os aplicativos que podem ler seus dados.',
    },
    no_scope_left: {
      title: 'Nada foi alterado',
      text: 'Para não compartilhar mais nada, escolha “Parar de compartilhar”.',
    },
    foreign_form: {
      title: 'Nada foi alterado',
      text: 'Não foi possível confirmar que isto partiu de você. Abra a página de novo e repita.',
    },
    400: {
      title: 'Nada foi alterado',
      text: 'O que foi enviado não corresponde à página. Abra-a de novo e repita.',
    },
    403: { title: 'Você não pode abrir isto', text: 'Talvez você tenha entrado como outra pessoa.' },
    404: { title: 'Esta página não existe', text: 'Talvez falte uma parte do endereço.' },
    409: { title: 'Nada foi alterado', text: 'Outra ação foi mais rápida. Abra a página de novo e confira.' },
    410: { title: 'Isto já terminou', text: 'O link não pode mais ser usado.' },
    503: { title: 'Não estamos disponíveis agora', text: 'Tente de novo daqui a pouco.' },
    500: { title: 'Algo deu errado do nosso lado', text: 'Tente de novo daqui a pouco.' },
  },
};

export const texts: Record<Language, Texts> = { en, 'pt-BR': pt };
