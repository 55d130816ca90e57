import { setTimeout as sleep } from 'node:timers/promises';
import type { World, WorldDatabase } from '../chaos/world.ts';

export interface Posts {
  /** Keys of posts that were answered with 200. */
  acknowledged: string[];
  finish(): Promise<void>;
}

const answerWithinMs = 8_000;

/** An operator who posts to the ledger without pause, and repeats each post until it is answered. */
export function startPosts(
  { apiUrl, operatorToken, network }: World<WorldDatabase>,
  { userId, perSecond }: { userId: string; perSecond: number },
): Posts {
  const posts: Posts = { acknowledged: [], finish };
  let isOver = false;
  const posting = keepPosting();
  return posts;

  async function finish(): Promise<void> {
    isOver = true;
    await posting;
  }

  async function keepPosting(): Promise<void> {
    for (let at = 0; !isOver; at += 1) {
      await post(`drill-${at}`);
      await sleep(1_000 / perSecond);
    }
  }

  async function post(key: string): Promise<void> {
    for (let tries = 0; tries < 60; tries += 1) {
      const response = await fetch(`${apiUrl}/operator/ledger.post`, {
        method: 'POST',
        headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(key)),
        signal: AbortSignal.timeout(answerWithinMs),
      }).catch(() => undefined);
      if (response?.status === 200) {
        posts.acknowledged.push(key);
        return;
      }
      if (response && response.status < 500) throw new Error(`a post was refused: ${await response.text()}`);
      await sleep(200);
    }
    throw new Error(`${key} was never posted`);
  }

  function bodyOf(key: string) {
    return {
      key,
      lines: [
        {
          userId,
          id: key,
          transactionType: 'buy',
          network: network.network,
          description: 'A line',
          assetReceived: 'USDC',
          amountReceived: '1',
        },
      ],
    };
  }
}
