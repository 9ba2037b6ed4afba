import { render } from 'preact'
import { App } from './app.tsx'
import { applyTheme } from './theme.ts'
import { showHiddenCharacters } from './visible-nodes.ts'

applyTheme()
showHiddenCharacters()
// A link that is opened where the page is already: to browsers, that is no new page.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#login=')) location.reload()
})
const root = document.getElementById('app')
if (root) {
  root.textContent = ''
  render(<App />, root)
}
