import type { CardStatus } from '#adapters/issuer';

/** The legal moves of a card. Canceled is final, also for everything else about it. */
export const cardMoves: Readonly<Record<CardStatus, readonly CardStatus[]>> = {
  inactive: ['active', 'canceled'],
  active: ['locked', 'canceled'],
  locked: ['active', 'canceled'],
  canceled: [],
};
