// The page that a browser shows for a login: one button.

export function loginPage(isApproved: boolean): string {
  const content = isApproved
    ? '<p>Approved. You can close this page.</p>'
    : '<p>A program asks for access to your simulated account.</p><form method="post"><button>Yes, log in</button></form>'
  return page(content)
}

export function loginRefusal(): string {
  return page('<p>This link has no uuid or no challenge.</p>')
}

function page(content: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Log in (simulated)</title><h1>Log in (simulated)</h1>${content}</html>`
}
