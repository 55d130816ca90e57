import partner from './partner.json' with { type: 'json' };

/** Answers that tests got, for the API reference of partners; `npm run examples` records them. */
export const partnerExamples: Readonly<Record<string, Readonly<Record<string, Examples>> | undefined>> =
  partner;

type Examples = Readonly<Record<string, { value: object }>>;
