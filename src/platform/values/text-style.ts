import { styleText } from 'node:util';

// For terminals. `styleText` leaves text as it is in a pipe, and with NO_COLOR.

export const bold = (text: string) => styleText('bold', text);
export const dim = (text: string) => styleText('dim', text);
export const good = (text: string) => styleText(['bold', 'green'], text);
export const bad = (text: string) => styleText(['bold', 'red'], text);
