import { Tokenizer } from 'ai-tokenizer';
import * as claude from 'ai-tokenizer/encoding/claude';
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';

// Two vocabularies of two makers, so that a bound holds for more than one model.
const ofClaude = new Tokenizer(claude);
const counters = {
  o200k_base: (text: string) => countO200k(text),
  claude: (text: string) => ofClaude.count(text),
};

export const tokenizers = Object.keys(counters) as (keyof typeof counters)[];

export type Tokens = Record<keyof typeof counters, number>;

export const countTokens = (text: string): Tokens => ({
  o200k_base: counters.o200k_base(text),
  claude: counters.claude(text),
});

/** Such as `getUserCards 629/611`. */
export const inWords = (counts: ReadonlyMap<string, Tokens>) =>
  `tokens (${tokenizers.join('/')}): ${[...counts]
    .map(([name, tokens]) => `${name} ${Object.values(tokens).join('/')}`)
    .join(', ')}`;
