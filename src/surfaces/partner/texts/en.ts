import type { Message } from '#surfaces/frame';
import { access } from './access/en.ts';
import { moneyEn } from './money-en.ts';

export const en = {
  area: 'Partner',
  navigation: {
    overview: 'Overview',
    withdrawals: 'Withdrawals',
    upload: 'Pay a file',
    limits: 'Limits',
    statements: 'Statements',
    users: 'Users',
    addresses: 'Address book',
    keys: 'API keys',
    webhooks: 'Webhooks',
    requests: 'Requests',
    team: 'Team',
  },
  access,
  money: moneyEn,
  overview: {
    title: 'Overview',
    partner: 'Partner',
    role: 'Your role',
  },
  messages: {
    not_partner_staff: {
      title: 'These pages are for staff of partners',
      text: 'You are signed in, but your account does not belong to a partner. Open your account instead.',
    },
  } as Record<string, Message>,
};

export type Texts = typeof en;
