/** A request that a person can choose in a host instead of writing it, as data. */
export interface Prompt {
  name: string;
  /** For people, such as the name of a menu entry. */
  title: string;
  description: string;
  arguments: readonly PromptArgument[];
  /** The request in the person's words, which a model reads. A `Refusal` is sent to the caller. */
  write(given: Readonly<Record<string, string>>, now: Date): string;
}

export interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
}
