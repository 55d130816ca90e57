const en = {
  title: (name: string) => `The life of ${name}`,
  lead: 'What was changed, paid, received, issued and shared, newest first.',
  toUser: 'To the user',
  link: 'Everything in order of time',
  older: 'Older',
  withdrawal: (amount: string, currency: string) => `Withdrawal of ${amount} ${currency}`,
  card: (digits: string) => `Card …${digits}`,
  consent: (purpose: string) => `Consent requested: ${purpose}`,
};

const pt: typeof en = {
  title: (name) => `A vida de ${name}`,
  lead: 'O que foi alterado, pago, recebido, emitido e compartilhado, do mais novo ao mais antigo.',
  toUser: 'Para o usuário',
  link: 'Tudo em ordem de tempo',
  older: 'Mais antigos',
  withdrawal: (amount, currency) => `Saque de ${amount} ${currency}`,
  card: (digits) => `Cartão …${digits}`,
  consent: (purpose) => `Consentimento pedido: ${purpose}`,
};

export const lifeTexts = { en, pt };
