import { styleText } from 'node:util';
import { type Item, showValue } from '#platform/commands/values';
import { dim } from '#platform/values/text-style';
import { wrap } from './view.ts';

const marks: Record<string, readonly [mark: string, colour: 'green' | 'yellow' | 'red' | 'gray']> = {
  ok: ['✓', 'green'],
  warning: ['!', 'yellow'],
  problem: ['✗', 'red'],
  skipped: ['–', 'gray'],
};

/**
 * One check below another: a mark, its name, what was seen, and what to do on a line that starts with an
 * arrow. Marks and not only colours, so that it reads the same without colour.
 */
export function renderChecklist({ items }: Item, width: number): string {
  const checks = (items as Item[]).map((item) => ({
    name: showValue(item.check),
    state: showValue(item.state),
    seen: showValue(item.seen),
    advice: showValue(item.advice),
  }));
  const indent = Math.max(0, ...checks.map(({ name }) => name.length)) + 4;
  const room = Math.max(width - indent, 30);
  const below = (lines: readonly string[]) => lines.map((line) => ' '.repeat(indent) + line);
  return checks
    .flatMap(({ name, state, seen, advice }) => {
      const [mark, colour] = marks[state] ?? ['?', 'gray'];
      const [first = '', ...rest] = wrap(seen, room);
      const start = `${styleText(colour, mark)} ${name.padEnd(indent - 2)}`;
      const todo = advice === '' ? [] : wrap(advice, room - 2).map((line, at) => (at ? '  ' : '→ ') + line);
      return [
        start + (state === 'skipped' ? dim(first) : first),
        ...below(rest),
        ...below(todo.map((line) => styleText(colour, line))),
      ];
    })
    .join('\n');
}
