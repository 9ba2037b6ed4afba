// What the demo model can be asked for.

/** What a reader is asked to find in a file; without it, the file's text is told. */
export type Question = 'heading' | 'lines' | 'content'

export type Wish =
  /** `isNamedThere`: the path is what the files read before name. */
  | {
      readonly kind: 'read'
      readonly path: string
      readonly question?: Question
      readonly isNamedThere?: true
    }
  | { readonly kind: 'list'; readonly path: string }
  | { readonly kind: 'run'; readonly command: string; readonly wantsExitCode?: true }
  | { readonly kind: 'search'; readonly pattern: string; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly text: string }
  | { readonly kind: 'append'; readonly path: string; readonly text: string }
  | { readonly kind: 'replace'; readonly path: string; readonly old: string; readonly text: string }

export type WishKind = Wish['kind']
