import { render } from 'preact'
import { App } from './app.tsx'
import { applyTheme } from './theme.ts'
import { showHiddenCharacters } from './visible-nodes.ts'

applyTheme()
showHiddenCharacters()
// A login link that is opened in the same tab changes only the hash: no new page is loaded.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#login=')) location.reload()
})
const root = document.getElementById('app')
if (root) {
  root.textContent = ''
  render(<App />, root)
}
