import path from 'node:path';

/** A checkout runs from source, and a package from JavaScript. */
const isCheckout = path.extname(import.meta.filename) === '.ts';

export const resetCommand = isCheckout ? 'npm start -- --reset' : 'npx causeway sandbox --reset';

export const resetHint = `To start from scratch, run ${resetCommand}.`;
