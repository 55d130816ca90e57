const en = {
  title: 'Nodes',
  open: 'Open the nodes',
  of: (network: string) => `Nodes of ${network}`,
  agree: (agreeing: number, all: number, quorum: number) =>
    `Nodes that agree about the final block: ${agreeing} of ${all}. Needed before a payout is settled or a deposit is credited: ${quorum}.`,
  finality: (rule: string) => `Final: ${rule}.`,
  unread: 'Nodes did not answer in time.',
  node: 'Node',
  state: 'State',
  head: 'Newest block',
  age: 'Age',
  behind: 'Blocks behind',
  final: 'Final block',
  faults: 'What is wrong',
  todo: 'What to do',
  says: 'What it says',
  block: 'In block',
  count: 'Transactions of the wallet',
  states: {
    ok: 'agrees',
    away: 'does not answer',
    'wrong chain': 'another chain',
    contradicts: 'contradicts',
    ahead: 'too far ahead',
    behind: 'lags',
    incomplete: 'lacks data',
  } as Record<string, string>,
  advice: {
    away: (setting) =>
      `A node that does not answer: ask its provider, or replace its URL in ${setting} and restart.`,
    'wrong chain': (setting) => `A node of another chain: correct its URL in ${setting} and restart.`,
    contradicts: (setting) =>
      `Nodes that contradict each other: compare the block with a block explorer, take the node that is wrong out of ${setting} and restart. Until then nothing is settled that fewer nodes than the quorum confirm.`,
    ahead: (setting) =>
      `A node that is too far ahead: compare its newest block with a block explorer. If it is wrong, take it out of ${setting} and restart. If all nodes are ahead, correct the clock of this server.`,
    behind: (setting) =>
      `A node that lags: it has no vote until it has caught up. If it stays behind, ask its provider, or replace its URL in ${setting} and restart.`,
    incomplete: (setting) =>
      `A node that lacks data: it needs receipts and the state of the final block. Replace its URL in ${setting} with a node that has them.`,
  } as Record<string, (setting: string) => string>,
  deposits: (block: number) => `Deposits are read up to block ${block} only:`,
  payout: (nonce: number) => `First payout in line: nonce ${nonce}`,
  signed: (age: string) => `Signed ${age} ago by`,
  contradicted: (setting: string) =>
    `The nodes contradict each other about this payout. Nothing is settled meanwhile; after half an hour the wallet halts. Compare with a block explorer, take the node that is wrong out of ${setting} and restart.`,
  outcomes: {
    success: 'has it as a success',
    reverted: 'has it as reverted',
    absent: 'has no transaction of ours',
    unknown: 'does not answer',
  } as Record<string, string>,
  items: {
    tooFew: (network: string, agreeing: number, quorum: number) =>
      `Only ${agreeing} of the nodes of ${network} ${agreeing === 1 ? 'has' : 'have'} the same final block, and ${quorum} must agree: payouts are not settled`,
    payout: (network: string, nonce: number) =>
      `Nodes of ${network} contradict each other about the payout with nonce ${nonce}`,
    deposits: (network: string) => `Nodes keep deposits on ${network} from being read`,
    node: (network: string, node: number, says: string) => `Node ${node} of ${network} ${says}`,
    states: {
      away: 'does not answer',
      'wrong chain': 'is on another chain',
      contradicts: 'contradicts the others',
      ahead: 'is too far ahead of the others',
      behind: 'lags behind',
      incomplete: 'lacks data that payouts or deposits need',
    } as Record<string, string>,
  },
};

/** Of what `describeFinality` says. */
const translateRule = (rule: string) =>
  rule.replaceAll('block', 'bloco').replace(' up to ', ' até ').replace(' above', ' acima disso');

const pt: typeof en = {
  title: 'Nós',
  open: 'Abrir os nós',
  of: (network) => `Nós de ${network}`,
  agree: (agreeing, all, quorum) =>
    `Nós que concordam sobre o bloco final: ${agreeing} de ${all}. Necessários para liquidar um pagamento ou creditar um depósito: ${quorum}.`,
  finality: (rule) => `Final: ${translateRule(rule)}.`,
  unread: 'Nós não responderam a tempo.',
  node: 'Nó',
  state: 'Estado',
  head: 'Bloco mais novo',
  age: 'Idade',
  behind: 'Blocos atrás',
  final: 'Bloco final',
  faults: 'O que está errado',
  todo: 'O que fazer',
  says: 'O que diz',
  block: 'No bloco',
  count: 'Transações da carteira',
  states: {
    ok: 'concorda',
    away: 'não responde',
    'wrong chain': 'outra rede',
    contradicts: 'contradiz',
    ahead: 'adiantado demais',
    behind: 'atrasado',
    incomplete: 'faltam dados',
  },
  advice: {
    away: (setting) =>
      `Um nó que não responde: fale com o provedor, ou troque a URL em ${setting} e reinicie.`,
    'wrong chain': (setting) => `Um nó de outra rede: corrija a URL em ${setting} e reinicie.`,
    contradicts: (setting) =>
      `Nós que se contradizem: compare o bloco com um explorador de blocos, tire o nó errado de ${setting} e reinicie. Até lá, nada é liquidado sem o quórum de nós.`,
    ahead: (setting) =>
      `Um nó adiantado demais: compare o bloco mais novo com um explorador de blocos. Se estiver errado, tire-o de ${setting} e reinicie. Se todos estão adiantados, acerte o relógio deste servidor.`,
    behind: (setting) =>
      `Um nó atrasado não vota até alcançar os outros. Se continuar atrasado, fale com o provedor, ou troque a URL em ${setting} e reinicie.`,
    incomplete: (setting) =>
      `Um nó sem dados: ele precisa ter recibos e o estado do bloco final. Troque a URL em ${setting} pela de um nó que os tenha.`,
  },
  deposits: (block) => `Os depósitos foram lidos só até o bloco ${block}:`,
  payout: (nonce) => `Primeiro pagamento da fila: nonce ${nonce}`,
  signed: (age) => `Assinado há ${age} por`,
  contradicted: (setting) =>
    `Os nós se contradizem sobre este pagamento. Nada é liquidado enquanto isso; depois de meia hora a carteira para. Compare com um explorador de blocos, tire o nó errado de ${setting} e reinicie.`,
  outcomes: {
    success: 'tem como bem-sucedida',
    reverted: 'tem como revertida',
    absent: 'não tem transação nossa',
    unknown: 'não responde',
  },
  items: {
    tooFew: (network, agreeing, quorum) =>
      `Só ${agreeing} dos nós de ${network} ${agreeing === 1 ? 'tem' : 'têm'} o mesmo bloco final, e ${quorum} devem concordar: pagamentos não são liquidados`,
    payout: (network, nonce) => `Nós de ${network} se contradizem sobre o pagamento com nonce ${nonce}`,
    deposits: (network) => `Nós impedem a leitura de depósitos em ${network}`,
    node: (network, node, says) => `O nó ${node} de ${network} ${says}`,
    states: {
      away: 'não responde',
      'wrong chain': 'está em outra rede',
      contradicts: 'contradiz os outros',
      ahead: 'está adiantado demais',
      behind: 'está atrasado',
      incomplete: 'não tem dados de que pagamentos ou depósitos precisam',
    },
  },
};

export const nodeTexts = { en, pt };
