import type { Language } from '#platform/pages/language';

export interface Message {
  title: string;
  text: string;
}

const en = {
  skip: 'Skip to the content',
  menu: 'Menu',
  signedInAs: 'Signed in as',
  signOut: 'Sign out',
  keyboard: {
    title: 'Keyboard',
    rows: [
      ['/', 'Search'],
      ['?', 'This help'],
    ] as readonly (readonly [string, string])[],
    close: 'Close',
  },
  notUpdated: (instant: string) => `Not updated since ${instant}.`,
  reload: 'Reload',
  printed: (instant: string, name: string) => `As of ${instant}, printed by ${name}`,
  reference: 'Reference',
  /** Words for values of the API, by the value. A value without one is shown as it is. */
  statuses: {} as Readonly<Record<string, string>>,
  stepUp: 'Confirm with your passkey. The form is sent when the passkey is accepted.',
  messages: {
    foreign_form: {
      title: 'Nothing was changed',
      text: 'We could not confirm that this form came from you. Open the page again and retry.',
    },
    sent_before: {
      title: 'This form was sent before',
      text: 'A form runs once. Look at the record to see whether it ran. Open the form again to run it another time.',
    },
    403: { title: 'Your role may not do this', text: 'Ask an administrator.' },
    404: { title: 'Page not found', text: 'The address may be incomplete, or the record does not exist.' },
    503: { title: 'The server is not available right now', text: 'Try again in a moment.' },
    500: { title: 'Something went wrong on our side', text: 'Try again in a moment.' },
    400: { title: 'The request was not valid', text: 'Open the page again and retry.' },
  } as Record<string, Message>,
  toOverview: 'To the overview',
  toAccount: 'To your account',
};

export type FrameWords = typeof en;

const pt: FrameWords = {
  skip: 'Ir para o conteúdo',
  menu: 'Menu',
  signedInAs: 'Você entrou como',
  signOut: 'Sair',
  keyboard: {
    title: 'Teclado',
    rows: [
      ['/', 'Buscar'],
      ['?', 'Esta ajuda'],
    ],
    close: 'Fechar',
  },
  notUpdated: (instant) => `Sem atualização desde ${instant}.`,
  reload: 'Recarregar',
  printed: (instant, name) => `Situação em ${instant}, impresso por ${name}`,
  reference: 'Referência',
  statuses: {
    active: 'ativo',
    ahead: 'adiantado demais',
    approved: 'aprovado',
    away: 'não responde',
    awaiting: 'aguardando',
    'awaiting-payment': 'aguardando pagamento',
    behind: 'atrasado',
    canceled: 'cancelado',
    completed: 'concluído',
    contradicts: 'contradiz',
    declined: 'recusado',
    delivered: 'entregue',
    draft: 'rascunho',
    due: 'na fila',
    expired: 'expirou',
    failed: 'falhou',
    final: 'final',
    'in-analysis': 'em análise',
    inactive: 'inativo',
    incomplete: 'faltam dados',
    locked: 'bloqueado',
    ok: 'em ordem',
    open: 'aberto',
    'partner suspended': 'parceiro suspenso',
    pending: 'pendente',
    problem: 'problema',
    processing: 'em processamento',
    published: 'publicado',
    queued: 'na fila',
    refused: 'recusado',
    rejected: 'rejeitado',
    replaced: 'substituído',
    reversed: 'estornado',
    revoked: 'revogado',
    rotated: 'trocado',
    settled: 'liquidado',
    skipped: 'não verificado',
    started: 'iniciado',
    suspended: 'suspenso',
    'user not allowed': 'usuário não permitido',
    'user suspended': 'usuário suspenso',
    void: 'anulado',
    warning: 'aviso',
    'wrong chain': 'outra rede',
  },
  stepUp: 'Confirme com sua chave de acesso. O formulário é enviado quando ela é aceita.',
  messages: {
    foreign_form: {
      title: 'Nada foi alterado',
      text: 'Não foi possível confirmar que este formulário partiu de você. Abra a página de novo e repita.',
    },
    sent_before: {
      title: 'Este formulário já foi enviado',
      text: 'Um formulário é executado uma vez. O registro mostra se foi. Abra-o de novo para repetir.',
    },
    403: { title: 'Sua função não pode fazer isto', text: 'Peça a um administrador.' },
    404: {
      title: 'Página não encontrada',
      text: 'O endereço pode estar incompleto, ou o registro não existe.',
    },
    503: { title: 'O servidor não está disponível agora', text: 'Tente de novo daqui a pouco.' },
    500: { title: 'Algo deu errado do nosso lado', text: 'Tente de novo daqui a pouco.' },
    400: { title: 'O pedido não é válido', text: 'Abra a página de novo e repita.' },
  },
  toOverview: 'Para a visão geral',
  toAccount: 'Para sua conta',
};

export const frameWords: Record<Language, FrameWords> = { en, 'pt-BR': pt };
