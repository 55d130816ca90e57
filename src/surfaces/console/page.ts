import { type Reader as AnyReader, type Frame, type Page, renderFrame } from '#surfaces/frame';
import { answerAddress } from './links.ts';
import { texts } from './texts/index.ts';
import type { Reader } from './visit.ts';

const places = [
  ['overview', '/console'],
  ['withdrawals', answerAddress('withdrawals.list')],
  ['deposits', '/console/deposits'],
  ['wallets', '/console/wallets'],
  ['users', answerAddress('users.list')],
  ['approvals', '/console/approvals'],
  ['webhooks', '/console/webhooks'],
  ['audit', '/console/audit'],
  ['ledger', '/console/ledger'],
  ['reconcile', '/console/reconcile'],
  ['rules', '/console/rules'],
  ['commands', '/console/commands'],
] as const;

export function frameOf({ language }: AnyReader): Frame {
  const { console, navigation, search } = texts[language];
  const { label, placeholder } = search;
  return {
    prefix: '/console',
    name: console,
    places: places.map(([name, to]) => [navigation[name], to] as const),
    search: { label, placeholder },
  };
}

export const renderPage = (reader: Reader, page: Page): string => renderFrame(reader, frameOf(reader), page);
