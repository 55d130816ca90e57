import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** The Chromium of an npm package, or the path of an installed browser that behaves like it. */
export type FoundBrowser = { packaged: true } | { packaged: false; path: string };

export const howToGetBrowser =
  'Install Chromium, Google Chrome or Microsoft Edge (on Debian: apt-get install chromium), or set CHROMIUM_PATH to one.';

/** `CHROMIUM_PATH`, then the packaged one where it runs, then one that is installed in its usual place. */
export function findBrowser(env: NodeJS.ProcessEnv = process.env): FoundBrowser | undefined {
  if (env.CHROMIUM_PATH) return { packaged: false, path: env.CHROMIUM_PATH };
  if (process.platform === 'linux' && process.arch === 'x64' && hasGlibc()) return { packaged: true };
  const installed = usualPlaces(env).find(isExecutable);
  return installed === undefined ? undefined : { packaged: false, path: installed };
}

function usualPlaces(env: NodeJS.ProcessEnv): string[] {
  if (process.platform === 'darwin') {
    const names = ['Chromium', 'Google Chrome', 'Microsoft Edge'];
    return ['/Applications', path.join(env.HOME ?? '/', 'Applications')].flatMap((folder) =>
      names.map((name) => path.join(folder, `${name}.app/Contents/MacOS/${name}`)),
    );
  }
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];
  const folders = [...(env.PATH ?? '').split(':').filter(path.isAbsolute), '/usr/bin', '/snap/bin'];
  const inPath = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [...inPath, '/opt/google/chrome/chrome', '/opt/microsoft/msedge/msedge'];
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function hasGlibc(): boolean {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime !== undefined;
}
