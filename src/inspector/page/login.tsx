// The page of a user who is not logged in: the reason, and what to do.

import type { Problem } from './store.ts'

const words: Record<Problem | 'none', [string, string]> = {
  none: ['You are not logged in', 'The inspector shows conversations, so it requires a login.'],
  used: ['This link was used already', 'Each link logs in one browser, once.'],
  expired: ['This link is too old', 'Links are valid for 10 minutes.'],
  unknown: [
    'This link is not known',
    'It may belong to another gateway, or the gateway has restarted since.',
  ],
  'too-many': ['Too many wrong links', 'Wait a minute before you try the next one.'],
  ended: [
    'Your login has ended',
    'The gateway has restarted, or the page was unused for 12 hours. Turns were kept in memory only.',
  ],
  'logged-out': ['You are logged out', 'This browser keeps no data of the inspector.'],
}

export function Login({ problem }: { problem: Problem | undefined }) {
  const [title, why] = words[problem ?? 'none']
  return (
    <main class="login">
      <h1>{title}</h1>
      <p>{why}</p>
      <p>For a new link, run this on the gateway’s machine, and open the address that it prints:</p>
      <pre>
        <code>dragoman inspect</code>
      </pre>
      <p class="muted">The first link was printed when the gateway started, after “Inspector:”.</p>
    </main>
  )
}
