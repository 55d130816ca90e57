/** What `causeway sandbox simulate` and the page at `/` offer, without the code that does it. */
export const simulationList = {
  deposit: 'Somebody sends 25 USDC to Ana’s wallet on polygon; it is credited when it is final.',
  'withdrawal-stuck': 'Polygon makes no block for 20 seconds, and a withdrawal stays in processing.',
  reorg: 'A payment is mined, then its block is replaced; the payment is sent again and made once.',
  'node-down': 'The node of ethereum does not answer for 20 seconds; a withdrawal there waits.',
  'gas-empty': 'The hot wallet on base has no gas for 20 seconds; a withdrawal there waits.',
  chargeback: 'A card payment is settled, and the money comes back to Ana’s card account.',
  'consent-expired': 'An app reads data after the consent has ended, and is refused.',
} as const;

export type SimulationName = keyof typeof simulationList;
export const simulationNames = Object.keys(simulationList) as SimulationName[];

export interface Simulated {
  /** What was done, in a sentence. */
  text: string;
  /** Requests that show the outcome: a path, and who sends it. */
  look: { path: string; as: 'partner' | 'integration' }[];
}
