import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commands } from '../../app.ts';
import { renderAnswer } from './answer.ts';
import { en } from './texts/en.ts';
import type { Reader } from './visit.ts';

const reader = { words: en, language: 'en', now: new Date(), frame: { statuses: {} } } as unknown as Reader;

test('stored XSS: texts of the card issuer in an answer are shown as text', () => {
  const command = commands.find(({ name }) => name === 'cards.simulate-authorization')!;
  for (const text of ['<script>hit()</script>', '"><img src=x onerror=hit()>', "' onfocus=hit() '"]) {
    const transaction = {
      id: text,
      cardId: text,
      type: text,
      status: text,
      merchantName: text,
      declineReason: text,
    };
    const shown = renderAnswer({ reader, command }, { transaction, movement: null, account: { name: text } });
    assert.ok(shown.text.includes('&#60;') || !text.includes('<'));
    for (const part of ['<script', '<img', "' onfocus"].filter((part) => text.includes(part)))
      assert.ok(!shown.text.includes(part), part);
  }
});
