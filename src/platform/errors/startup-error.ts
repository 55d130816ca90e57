/** A failure whose message is a single sentence, meant to be shown as it is to the person at the terminal. */
export class StartupError extends Error {
  override name = 'StartupError';
}

/** Nothing answers: trying again later may help. */
export class Unreachable extends StartupError {
  override name = 'Unreachable';
}

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'there is a file of that name',
  ELOOP: 'its symbolic links form a loop',
};

export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The cause of a failed system call in words fit for the end of a sentence. */
export function reasonOf(error: unknown): string {
  const known = reasons[errorCode(error) ?? ''];
  if (known !== undefined) return known;
  return error instanceof Error ? error.message : String(error);
}
