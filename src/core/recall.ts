// What the gateway remembers of earlier turns and uses in this one: kept thinking, corrected calls, lessons of refusals. It decides what
// is sent, and which notes the client gets, so a tape has it, and a replay takes it from there.

/** Looks into a memory. Each look has its place in the turn, so the looks of a turn must not depend on chance. */
export type Recall = <Value>(memory: string, find: () => Value | undefined) => Value | undefined

/** Without a tape: only the look. */
export const recalled = <Value>(
  recall: Recall | undefined,
  memory: string,
  find: () => Value | undefined,
): Value | undefined => (recall ? recall(memory, find) : find())
