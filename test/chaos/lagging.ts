export interface RpcRequest {
  id: unknown;
  method: string;
  params: unknown[];
}

export interface RpcAnswer {
  id?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

/**
 * The same question as a node some blocks behind would understand it; the very same where that makes no
 * difference.
 */
export function askBehind(request: RpcRequest, head: number, lag: number): RpcRequest {
  if (!request.params.some(isTag)) return request;
  const behind = `0x${Math.max(head - lag, 0).toString(16)}`;
  return { ...request, params: request.params.map((one) => (isTag(one) ? behind : one)) };
}

const isTag = (parameter: unknown) => parameter === 'latest' || parameter === 'pending';

/** What such a node would answer: it has not heard of the newest blocks. */
export function answerBehind(
  { method, params }: RpcRequest,
  answer: RpcAnswer,
  head: number,
  lag: number,
): RpcAnswer {
  const isNews = (number: unknown) => typeof number === 'string' && Number(number) > head - lag;
  if (method === 'eth_getTransactionReceipt') {
    const receipt = answer.result as { blockNumber?: unknown } | null | undefined;
    return receipt && isNews(receipt.blockNumber) ? { id: answer.id, result: null } : answer;
  }
  if (method === 'eth_getBlockByNumber' && isNews(params[0])) return { id: answer.id, result: null };
  return answer;
}
