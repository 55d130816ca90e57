import type { Prompt } from '#platform/commands/prompt';
import { invalidField } from '#platform/errors/errors';
import { parseInstant } from '#platform/values/instant';
import { sanitizeText } from '#platform/values/sanitize-text';

const exactly = 'Give amounts exactly as the tools do, with their currency. If something is missing, say so.';

/** What a person can choose in a host. The texts are the person's request, and name the tools for it. */
export const prompts: readonly Prompt[] = [
  {
    name: 'reviewMonth',
    title: 'Review my month',
    description: 'What came in, what went out and what stands out in a month, in the account and on cards.',
    arguments: [
      { name: 'month', description: 'Such as 2026-10; default: the running month.', required: false },
    ],
    write: ({ month }, now) => {
      const period = readMonth(month) ?? now.toISOString().slice(0, 7);
      return [
        `Review my month ${period}.`,
        `Call getAccountHistory and getUserCardBalanceMovements, both with startDate and endDate "${period}"; while an answer has nextArguments, call again with them. Call getAccountBalance for what I have now.`,
        'Then tell me in a few lines: what came in and what went out of the account by currency, what I spent with cards and where most of it went, and what is unusual, such as a payment made twice or much larger than others.',
        exactly,
      ].join('\n');
    },
  },
  {
    name: 'explainCharge',
    title: 'Explain this charge',
    description: 'Finds a payment that you do not recognize and says what is known about it.',
    arguments: [
      {
        name: 'charge',
        description: 'What you see: merchant, amount or date, such as "Hotel Atlantico 84.20 on 3 May".',
        required: true,
      },
    ],
    write: ({ charge }) =>
      [
        `Explain this charge: ${sanitizeText(charge!)}`,
        'Call getUserCards with status "all", then getUserCardTransactions of the cards, and compare merchant, amount and date; while an answer has nextArguments and nothing fits, call again with them. If no card payment fits, look in getAccountHistory.',
        'Tell me which card paid, when, how much, and whether it is pending, settled, declined, reversed or refunded. If several payments fit, list them and ask me which one I mean. If none fits, say so and do not guess.',
        exactly,
      ].join('\n'),
  },
  {
    name: 'whatIsPending',
    title: 'What is pending',
    description: 'Card payments and refills that are not finished yet.',
    arguments: [],
    write: () =>
      [
        'What is pending in my account and on my cards?',
        'Call getUserCards, then getUserCardTransactions with status "pending" for the cards, and getUserCardBalanceAutomation for refills that are not completed.',
        'List each with its amount and since when it waits, and add up the amounts. Then say what of it reduces what I can spend now.',
        exactly,
      ].join('\n'),
  },
];

function readMonth(month: string | undefined): string | undefined {
  if (month === undefined || month === '') return undefined;
  if (month.length === 7 && parseInstant(month, 'start')) return month;
  throw invalidField('month', 'must be a month, such as 2026-10');
}
