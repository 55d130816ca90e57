import { suggest } from './suggest.ts';

/** What `util.parseArgs` refuses, in our words; `flags` are those that exist, without dashes. */
export function describeFlagFault({ message }: Error, flags: readonly string[]): string {
  // `Unknown option '--x'. …`, `Option '--x <value>' argument missing`
  const [start, quoted = '', fault = ''] = message.split("'");
  const [flag = ''] = quoted.split(' ');
  if (start === 'Unknown option ') {
    const meant = flag.startsWith('--') ? suggest(flag.slice(2), flags) : undefined;
    return `Unknown flag ${flag}${meant === undefined ? '' : `. Did you mean --${meant}?`}`;
  }
  if (fault.startsWith(' argument missing')) return `${flag} needs a value`;
  if (fault.startsWith(' argument is ambiguous'))
    return `${flag} needs a value. One that starts with a dash is written ${flag}=<value>`;
  return fault.startsWith(' does not take') ? `${flag} takes no value` : message.split('. ')[0]!;
}
