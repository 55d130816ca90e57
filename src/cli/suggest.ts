/** The word that was probably meant, or nothing if none is close. */
export function suggest(typed: string, words: Iterable<string>): string | undefined {
  const near = [...words]
    .map((word) => ({ word, distance: distanceOf(typed, word) }))
    .filter(
      ({ word, distance }) => distance <= (word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3))),
    );
  return near.sort((a, b) => a.distance - b.distance)[0]?.word;
}

/** How many letters to add, remove or replace (Levenshtein). */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1];
    for (let column = 1; column <= to.length; column++) {
      const replaced = row[column - 1]! + (letter === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
