/**
 * What a failed connection says about itself. `fetch` and the database driver put it into `cause`, whose
 * message is empty if a host name has several addresses.
 */
export function describeCause({ cause, message }: Error): string {
  return (cause instanceof Error && (cause.message || (cause as NodeJS.ErrnoException).code)) || message;
}
