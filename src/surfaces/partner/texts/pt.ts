import { access } from './access/pt.ts';
import type { Texts } from './en.ts';
import { moneyPt } from './money-pt.ts';

export const pt: Texts = {
  area: 'Parceiro',
  navigation: {
    overview: 'Visão geral',
    withdrawals: 'Saques',
    upload: 'Pagar um arquivo',
    limits: 'Limites',
    statements: 'Extratos',
    users: 'Usuários',
    addresses: 'Agenda de endereços',
    keys: 'Chaves de API',
    webhooks: 'Webhooks',
    requests: 'Requisições',
    team: 'Equipe',
  },
  access,
  money: moneyPt,
  overview: {
    title: 'Visão geral',
    partner: 'Parceiro',
    role: 'Sua função',
  },
  messages: {
    not_partner_staff: {
      title: 'Estas páginas são para equipes de parceiros',
      text: 'Você entrou, mas sua conta não é de um parceiro. Abra sua conta.',
    },
  },
};
