import { dayMs } from '#platform/values/duration';

export const minuteMs = 60_000;

/** How long ago the story of the sandbox begins: eighteen months. */
export const storyDays = 548;

/** The start of a day in UTC: two starts on one day tell the same story. */
export const midnight = (now: Date): number => now.getTime() - (now.getTime() % dayMs);

/** So many days before today's midnight, at a time of that day. */
export const daysBefore = (now: Date, days: number, msOfDay = 0): Date =>
  new Date(midnight(now) - days * dayMs + msOfDay);
