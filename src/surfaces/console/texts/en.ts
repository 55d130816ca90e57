import type { Message } from '#surfaces/frame';
import { approvalTexts } from './approvals.ts';
import { auditTexts } from './audit.ts';
import { bulkTexts } from './bulk.ts';
import { depositTexts } from './deposits.ts';
import { haltTexts } from './halts.ts';
import { ledgerTexts } from './ledger.ts';
import { lifeTexts } from './life.ts';
import { nodeTexts } from './nodes.ts';
import { reconcileTexts } from './reconcile.ts';
import { ruleTexts } from './rules.ts';
import { webhookTexts } from './webhooks.ts';

/** Why a withdrawal waits, and what an operator can do about it. */
export interface Reason {
  why: string;
  todo: string;
}

export const en = {
  console: 'Console',
  navigation: {
    overview: 'Overview',
    withdrawals: 'Withdrawals',
    deposits: 'Deposits',
    wallets: 'Wallets',
    users: 'Users',
    approvals: 'Approvals',
    webhooks: 'Webhooks',
    audit: 'Audit log',
    ledger: 'Ledger',
    reconcile: 'Reconcile',
    rules: 'Rules',
    commands: 'All commands',
  },
  search: {
    label: 'Search',
    placeholder: 'Hash, address, email or id',
    title: (text: string) => `Search: ${text}`,
    lead: 'Search for a transaction hash, an address, an email, an external id or an id.',
    others: 'Other records',
    kinds: {
      partner: 'Partner',
      key: 'API key',
      integration: 'Integration',
      person: 'Person',
      webhook: 'Webhook endpoint',
      card: 'Card',
      consent: 'Consent',
      approval: 'Command for a second operator',
      application: 'Application of a developer',
      wallet: 'Hot wallet',
    },
    transaction: 'What is known about this transaction',
    openDeposit: 'Open the deposit',
    nothing: 'Nothing found. Check the spelling, or search for another part of the record.',
  },
  commands: {
    title: 'All commands',
    lead: 'Everything that your role may do. Each command is also in the CLI and the API.',
    reads: 'reads',
    changes: 'changes',
    secondOperator: 'second operator',
  },
  form: {
    required: 'required',
    choose: 'Not set',
    yes: 'Yes',
    no: 'No',
    clear: 'Clear the stored value',
    lines: 'One value a line.',
    json: 'JSON. Fields:',
    base64: 'The file in base64.',
    chooseFile: 'Choose a file',
    show: 'Show',
    filter: 'Filter',
    download: 'Download',
    review: 'Review',
    noFields: 'This command needs no input.',
    fix: 'Nothing was changed. Fix this and try again:',
    refused: 'Nothing was changed:',
    notRead: 'This could not be shown:',
    unknown: 'It is not known whether this ran',
    lookFirst: 'Look at the audit log and at the record before you run it again.',
    auditLog: 'Audit log',
    openAgain: 'Open the form again',
    cli: 'In a terminal:',
  },
  filter: { clear: 'Clear' },
  confirm: {
    title: 'Check before you run it',
    decides: 'The command that you decide about',
    will: 'This will run:',
    noInput: 'Without further input.',
    audited: (name: string) => `The audit log will name you: ${name}.`,
    secondOperator:
      'It does not run at once. Another operator must approve it within 24 hours; it then runs exactly as shown here.',
    stepUp: 'Confirm with your passkey. The command runs when the passkey is accepted.',
    elsewhere: 'Confirmed in another tab? Then run it:',
    run: 'Run it',
    ask: 'Ask a second operator',
    change: 'Change the input',
  },
  result: {
    done: 'Done',
    stored: 'Stored for a second operator',
    storedText: 'Nothing has changed yet. Another operator decides it under Approvals.',
    decide: 'Open the request',
    secret: 'Copy the marked value now: it is shown only once.',
    empty: 'Nothing to show.',
    next: 'Next page',
    again: 'Back to the form',
    more: (count: number) => `and ${count} more`,
    yes: 'yes',
    no: 'no',
    passed: 'Passed',
    failed: 'Fault found',
    nextPart: 'Check the next part',
  },
  overview: {
    title: 'Overview',
    calm: 'Nothing needs you right now.',
    attention: 'Needs attention',
    waiting: 'Withdrawals that are not final',
    wallets: 'Hot wallets',
    state: 'State',
    count: 'Number',
    oldest: 'Oldest',
    network: 'Network',
    wallet: 'Wallet',
    gas: 'Gas',
    tokens: 'Tokens',
    payoutsLeft: 'Payouts left',
    daysLeft: 'Days left',
    open: 'Open',
    unknown: 'unknown',
    noWaiting: 'Every withdrawal is final.',
    noWallets: 'No hot wallet has been used yet.',
    unreadBalances: 'Balances could not be read: a node does not answer.',
    asOf: 'What is shown was read at',
    perHour: 'Payouts completed each hour, last 24 hours',
    hour: 'Hour (UTC)',
    completed: 'Completed',
    balances: 'Balances of the hot wallets now',
    walletToken: 'Wallet and token',
    balance: 'Balance',
    gasDays: (days: string) => `gas lasts ${days} days`,
    latency: 'Time from creation to settlement, last 24 hours',
    median: 'Median',
    p95: '95th percentile',
    table: 'Show as a table',
    jobs: 'Background jobs',
    items: {
      unread: (what: string) => `Could not be read: ${what}`,
      waits: (count: number, network: string, reason: string) =>
        `${count === 1 ? '1 payout' : `${count} payouts`} on ${network} cannot be signed: ${reason}`,
      halted: (network: string) => `A hot wallet on ${network} is halted: nothing is signed or sent`,
      paused: (scope: string, reason: string) => `Payouts are paused (${scope}): ${reason}`,
      depositsHalted: (network: string) => `Deposits on ${network} are halted`,
      depositLag: (network: string, age: string) =>
        `The last block read for deposits on ${network} is ${age} old`,
      feed: (age: string) => `The event feed of the card issuer was last read ${age} ago`,
      feedBlocked: 'An event blocks the feed of the card issuer',
      endpoints: (count: number, state: string) =>
        `${count === 1 ? '1 webhook endpoint is' : `${count} webhook endpoints are`} ${state}`,
      approvals: (count: number) =>
        `${count === 1 ? '1 command waits' : `${count} commands wait`} for a second operator`,
      applications: (count: number) =>
        `${count === 1 ? '1 developer waits' : `${count} developers wait`} for an answer to an application`,
      lowGas: (network: string, payouts: string) =>
        `Gas on ${network} covers only ${payouts} more ${payouts === '1' ? 'payout' : 'payouts'}`,
      old: (network: string, status: string, age: string) =>
        `A payout on ${network} has been ${status} for ${age}`,
      shortfall: (amount: string, currency: string, network: string) =>
        `The treasury lacks ${amount} ${currency} on ${network}`,
      faultyLedgers: (count: number) =>
        `The last verification found faults in ${count === 1 ? '1 ledger' : `${count} ledgers`}`,
      unexplained: (amount: string, currency: string, network: string) =>
        `A difference of ${amount} ${currency} on ${network} is not explained`,
      noNode: (network: string) => `No node of ${network} answers: payouts and deposits wait`,
      noWorker: 'No worker has run yet: nothing is paid',
      silent: (age: string) => `No worker has run a job for ${age}: nothing is paid`,
      stuck: (job: string, age: string) => `The job ${job} has not run for ${age}`,
    },
    endpointStates: { failing: 'failing', disabled: 'disabled' } as Record<string, string>,
  },
  withdrawal: {
    title: (amount: string, currency: string) => `${amount} ${currency}`,
    facts: 'Facts',
    timeline: 'What happened',
    waits: 'Why it waits',
    todo: 'What to do',
    cancel: 'Cancel it',
    endpoints: 'Webhook endpoints of the partner',
    wallet: 'Open the wallets',
    state: (status: string) => `State: ${status}`,
    signed: (hash: string) => `Signed ${hash}`,
    sent: (hash: string) => `Sent ${hash}`,
    mined: 'in a block',
    fees: (max: string, tip: string) => `at most ${max} gwei for each unit of gas, of which tip ${tip} gwei`,
    sends: (count: number, answer: string) =>
      `${count === 1 ? 'once' : `${count} times`}; last answer: ${answer}`,
    slot: (nonce: number) => `Nonce ${nonce} reserved`,
    givenUp: (nonce: number) => `Nonce ${nonce} given up: it is signed again with another`,
    ofGivenUp: (nonce: number) => `for nonce ${nonce}, which was given up`,
    usedBy: (hash: string) => `used by transaction ${hash}`,
    settled: 'Payout settled',
    audit: (action: string, actor: string) => `${action} by ${actor}`,
    asked: 'The rules ask for an approval',
    decided: {
      approve: (name: string) => `Approved by ${name}`,
      refuse: (name: string) => `Refused by ${name}`,
    },
    delivery: (type: string, host: string) => `${type} to ${host}`,
    tries: (count: number) => (count === 1 ? '1 attempt' : `${count} attempts`),
    finalText: 'It is final. Nothing more will happen.',
  },
  reasons: {
    gas: {
      why: 'The hot wallet does not have enough of the network’s coin to pay the fees.',
      todo: 'Send coins to the hot wallet. The payout continues automatically within a minute.',
    },
    currency: {
      why: 'The hot wallet does not have enough of this token, or the token refuses the transfer.',
      todo: 'Send tokens to the hot wallet. If it has enough, see whether the token is paused. The payout continues automatically within a minute.',
    },
    fees: {
      why: 'The network’s fees are above the cap of this network.',
      todo: 'Wait until fees fall, or raise the fee cap in the settings.',
    },
    node: {
      why: 'No node of this network answers, or the nodes disagree.',
      todo: 'Check the nodes in the RPC setting. The payout continues automatically.',
    },
    screening: {
      why: 'The screening service does not answer.',
      todo: 'Check the service at SCREENING_URL. The payout continues automatically.',
    },
    disagreement: {
      why: 'The node is on another chain, a token has other decimals, or stored bytes are not what was signed.',
      todo: 'The log of the worker says which. Correct the settings of the network. The payout continues automatically.',
    },
    replication: {
      why: 'Commits of the database wait for no standby, and DATABASE_REPLICATION says that they do.',
      todo: 'Set synchronous_standby_names on the database server. The payout continues automatically.',
    },
    token: {
      why: 'The token is no longer in the settings of this network, or has another address there.',
      todo: 'Put the token back into the settings and restart the workers, or cancel the withdrawal.',
    },
    halted: {
      why: 'The hot wallet is halted.',
      todo: 'Read why the wallet was halted, and do what the reason says.',
    },
    'wallet key': {
      why: 'The hot wallet that has signed it once is no longer in the settings, and no other may pay it.',
      todo: 'Put the key of the wallet back into HOT_WALLET_KEYS and restart the workers, or cancel the withdrawal.',
    },
    paused: {
      why: 'An operator paused these payouts.',
      todo: 'Resume the payouts when the reason is gone.',
    },
    'found payment': {
      why: 'A payment under the same idempotency key is on chain, with another recipient or amount.',
      todo: 'Nobody is paid twice meanwhile. Cancel this one, and look at the wallet for the payment.',
    },
    'user suspended': { why: 'The user is suspended.', todo: 'Resume the user, or cancel the withdrawal.' },
    'partner suspended': {
      why: 'The partner is suspended.',
      todo: 'Resume the partner, or cancel the withdrawal.',
    },
    'key suspended': { why: 'The API key is suspended.', todo: 'Resume the key, or cancel the withdrawal.' },
    approval: {
      why: 'A rule requires an approval by staff.',
      todo: 'A person of the group that the rule names must approve or refuse it.',
    },
    queued: {
      why: 'It has just been created.',
      todo: 'Nothing: a worker holds the amount within seconds.',
    },
    'queued late': {
      why: 'No worker has held the amount yet.',
      todo: 'Check that a worker with a node of this network runs.',
    },
    'queued halted': {
      why: 'A hot wallet of this network is halted, and the amount is not held yet.',
      todo: 'Read why the wallet was halted, and do what the reason says.',
    },
    processing: {
      why: 'It is signed, and the network has not made it final yet.',
      todo: 'Nothing: fees are raised automatically if it takes long. If no block has it after half an hour, or nodes contradict each other for as long, the wallet halts and the reason is here.',
    },
    'processing halted': {
      why: 'It is signed, and its hot wallet is halted: nothing is sent and no fee is raised.',
      todo: 'Read why the wallet was halted, and do what the reason says. If the payment is on chain already, it is settled meanwhile.',
    },
    'processing node': {
      why: 'It is signed, and a node of this network does not answer.',
      todo: 'Check the nodes in the RPC setting. The payout is settled when enough nodes agree.',
    },
    'processing contradicted': {
      why: 'It is signed, and nodes contradict each other about the first payout of its wallet that is not settled.',
      todo: 'Open the wallets and see what each node says. Take the node that is wrong out of the settings and restart. After half an hour the wallet halts.',
    },
    pending: { why: 'A worker signs it next.', todo: 'Nothing. If it stays here, check that a worker runs.' },
  } as Record<string, Reason>,
  resume: { label: 'Resume' },
  rows: { approve: 'Approve', refuse: 'Refuse' },
  user: {
    facts: 'Facts',
    ledger: 'Verification of the ledger',
    wallets: 'Wallets',
    balances: 'Balances',
    withdrawals: 'Withdrawals',
    deposits: 'Deposits',
    cards: 'Cards',
    consents: 'Consents',
    audit: 'Audit log',
    actions: 'Actions',
  },
  wallets: {
    title: 'Hot wallets',
    lead: 'What each wallet has, what waits on its network, and how long its gas lasts at the rate of the last 24 hours.',
    current: 'workers sign with it',
    former: 'no longer used to sign',
    halted: 'Halted',
    waiting: (network: string) => `Waiting on ${network}`,
    noChain: 'The node did not answer, so balances are unknown.',
    halt: 'Halt',
  },
  messages: {
    not_operator_staff: {
      title: 'The console is for staff of the operator',
      text: 'You are signed in, but your account belongs to a partner or an integration. Open your account instead.',
    },
    draft_changed: {
      title: 'Nothing was changed',
      text: 'Somebody saved another draft since you opened the page. Open the rules again and look at it first.',
    },
  } as Record<string, Message>,
  application: {
    title: (name: string) => `Application: ${name}`,
    decisions: { 'integrations.approve': 'Approve', 'integrations.refuse': 'Refuse' },
  },
  audit: auditTexts.en,
  bulk: bulkTexts.en,
  deposits: depositTexts.en,
  approvals: approvalTexts.en,
  webhooks: webhookTexts.en,
  rules: ruleTexts.en,
  reconcile: reconcileTexts.en,
  ledger: ledgerTexts.en,
  life: lifeTexts.en,
  halts: haltTexts.en,
  nodes: nodeTexts.en,
};

export type Texts = typeof en;
