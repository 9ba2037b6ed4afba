// Git's own files. Hooks, `config`, `commondir`, a rebase's todo list: whatever is written there, the user's next git
// command may run, outside of any guard. So only git writes below `.git`, and nobody makes a `.git`.

/** Some file systems do not tell cases apart. */
export const isGitsOwn = (names: readonly string[]) => names.some((name) => name.toLowerCase() === '.git')
