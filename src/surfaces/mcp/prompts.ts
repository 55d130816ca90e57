import type { Prompt } from '#platform/commands/prompt';
import { invalidField } from '#platform/errors/errors';
import { parseInstant } from '#platform/values/instant';
import { sanitizeText } from '#platform/values/sanitize-text';

const exactly = 'Give amounts exactly as the tools do, with their currency. If something is missing, say so.';
const more = 'If you need more pages, call again with nextArguments.';
/** Tests validate these arguments by the schemas of the tools. */
const callOf = (tool: string, args: object) => `${tool} ${JSON.stringify(args)}`;

/** What a person can choose in a host. The texts are the person's request, and name the calls for it. */
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
      const dates = { startDate: period, endDate: period };
      return [
        `Review my month ${period}.`,
        `Call ${callOf('getAccountHistory', dates)}: summary has what came in and went out.`,
        `Call ${callOf('getAccountHistory', { ...dates, sort: 'largest', limit: 10 })} for the largest ones.`,
        `Call ${callOf('getUserCardTransactions', dates)}: totals has what was spent with cards. ${more}`,
        'Tell me in a few lines what came in and went out of the account, what I spent with cards and where most of it went, and what is unusual, such as a payment made twice or much larger than others.',
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
        `Look for it with getUserCardTransactions, by a part of the merchant’s name (merchant) or by the days around the date (startDate, endDate). ${more} If no card payment fits, look in getAccountHistory by the same dates or by text.`,
        'Tell me which card paid, when, how much, and whether it is pending, settled, declined, reversed or refunded. If several payments fit, list them and ask me which one I mean. If none fits, say so and do not guess.',
        exactly,
      ].join('\n'),
  },
  {
    name: 'whatIsPending',
    title: 'What is pending',
    description: 'Transactions, card payments and refills that are not finished yet.',
    arguments: [],
    write: () =>
      [
        'What is pending in my account and on my cards?',
        `Call ${callOf('getAccountHistory', { status: 'pending' })}, ${callOf('getUserCardTransactions', { status: 'pending' })} and ${callOf('getUserCardBalanceAutomation', {})} for refills that are not completed. ${more}`,
        'List each with its amount and since when it waits, with the sums per currency. Then say what of it reduces what I can spend now.',
        exactly,
      ].join('\n'),
  },
];

function readMonth(month: string | undefined): string | undefined {
  if (month === undefined || month === '') return undefined;
  if (month.length === 7 && parseInstant(month, 'start')) return month;
  throw invalidField('month', 'must be a month, such as 2026-10');
}
