// What somebody sees who is not logged in: why, and what to do.

import type { Problem } from './store.ts'

const words: Record<Problem | 'none', [string, string]> = {
  none: ['You are not logged in', 'The inspector shows conversations, so it asks who looks.'],
  used: ['This link was used already', 'Each link logs in one browser, once.'],
  expired: ['This link is too old', 'Links are good for 10 minutes.'],
  unknown: [
    'This link is not known',
    'It may be of another gateway, or of one that was started again since.',
  ],
  'too-many': ['Too many wrong links', 'Wait a minute before you try the next one.'],
  ended: [
    'Your login has ended',
    'The gateway was started again, or nobody has looked for 12 hours. What it showed was in its memory.',
  ],
  'logged-out': ['You are logged out', 'Nothing of the inspector is left in this browser.'],
}

export function Login({ problem }: { problem: Problem | undefined }) {
  const [title, why] = words[problem ?? 'none']
  return (
    <main class="login">
      <h1>{title}</h1>
      <p>{why}</p>
      <p>For a new link, run this where the gateway runs, and open what it prints:</p>
      <pre>
        <code>dragoman inspect</code>
      </pre>
      <p class="muted">The first one was printed when the gateway started, behind “Inspector:”.</p>
    </main>
  )
}
