import { dim } from '#platform/values/text-style';

export interface Progress {
  /** What is being done now. */
  step(text: string): void;
  /** Removes the line. Calling it again has no effect. */
  end(): void;
}

const frames = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];
const frameMs = 100;
const none: Progress = { step: () => {}, end: () => {} };

/**
 * A line on the terminal that says what is being done, and for how long. Quick work shows nothing: the line
 * appears after `afterMs`. A pipe or a file gets no such line.
 */
export function startProgress(text: string, afterMs = 700): Progress {
  const { stderr } = process;
  if (!stderr.isTTY) return none;
  const startedAt = performance.now();
  let shown = text;
  let drawn = 0;
  const draw = () => {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs < afterMs) return;
    const seconds = ` ${Math.floor(elapsedMs / 1000)} s`;
    // A longer line would wrap, and the next one could not replace it.
    const room = Math.max((stderr.columns ?? 80) - seconds.length - 3, 0);
    const frame = frames[drawn % frames.length];
    stderr.write(`\r\u001b[2K${frame} ${shown.slice(0, room)}${dim(seconds)}`);
    drawn += 1;
  };
  draw();
  const timer = setInterval(draw, frameMs);
  // A process that has nothing else to do ends.
  timer.unref();
  return {
    step(next) {
      shown = next;
      draw();
    },
    end() {
      clearInterval(timer);
      if (drawn > 0) stderr.write('\r\u001b[2K');
      drawn = 0;
    },
  };
}

/** Runs work with a line of progress, which is gone before anything else is printed. */
export async function withProgress<T>(
  text: string,
  work: (progress: Progress) => Promise<T>,
  afterMs?: number,
): Promise<T> {
  const progress = startProgress(text, afterMs);
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}
