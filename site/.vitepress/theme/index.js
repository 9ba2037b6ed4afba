// The reader's own fonts: nothing to load.
export { default } from 'vitepress/theme-without-fonts'
