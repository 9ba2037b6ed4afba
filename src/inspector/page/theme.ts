// Light or dark theme: the system's, until the user chooses.

const key = 'dragoman-theme'

export const isDark = () => {
  const chosen = localStorage.getItem(key)
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
}

export function applyTheme(): void {
  const chosen = localStorage.getItem(key)
  if (chosen) document.documentElement.dataset.theme = chosen
}

export function toggleTheme(): boolean {
  const dark = !isDark()
  localStorage.setItem(key, dark ? 'dark' : 'light')
  applyTheme()
  return dark
}
