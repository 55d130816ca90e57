const en = {
  title: 'The halted wallet',
  notRead: 'The reason could not be read. Open the wallets.',
  commands: {
    'wallets.resume': 'Resume',
    'wallets.recover': 'Recover',
    'wallets.resend': 'Send again',
    'wallets.accept-outcome': 'Accept the outcome',
    'wallets.accept-foreign': 'Accept the other transaction',
  },
  reconcile: 'Open the comparison',
};

const pt: typeof en = {
  title: 'A carteira parada',
  notRead: 'Não foi possível ler o motivo. Abra as carteiras.',
  commands: {
    'wallets.resume': 'Retomar',
    'wallets.recover': 'Recuperar',
    'wallets.resend': 'Enviar de novo',
    'wallets.accept-outcome': 'Aceitar o resultado',
    'wallets.accept-foreign': 'Aceitar a outra transação',
  },
  reconcile: 'Abrir a comparação',
};

export const haltTexts = { en, pt };
