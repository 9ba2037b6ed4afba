// What the release workflow runs, each step a command that runs anywhere:
//   node scripts/release.mjs check TAG               the tag is the version of package.json, and CHANGELOG.md has an entry with a date
//   node scripts/release.mjs built                   all files are there that package.json names: an unbuilt clone packs without them
//   node scripts/release.mjs notes TAG               that entry, for the release's page
//   node scripts/release.mjs channel TAG             npm's tag: `latest`, or `next` before a release
//   node scripts/release.mjs image-names TAG NAME    the names of the image, as an output of a workflow's step
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
const tagForm = /^v(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+)?$/

export function versionOf(tag) {
  if (!tagForm.test(tag))
    throw new Error(`"${tag}" is no release tag: it must look like v1.2.3 or v1.2.3-rc.1`)
  return tag.slice(1)
}

/** The lines below `## VERSION (DATE)`, up to the next version. */
export function notesOf(changelog, version) {
  const lines = changelog.split('\n')
  const first = lines.findIndex((line) => line.startsWith(`## ${version} `))
  if (first < 0) throw new Error(`CHANGELOG.md has no entry "## ${version} (DATE)"`)
  const heading = lines[first]
  if (!/ \(\d{4}-\d{2}-\d{2}\)$/.test(heading))
    throw new Error(`"${heading}" in CHANGELOG.md needs the date of the release in place of "unreleased"`)
  const length = lines.slice(first + 1).findIndex((line) => line.startsWith('## '))
  return lines
    .slice(first + 1, length < 0 ? undefined : first + 1 + length)
    .join('\n')
    .trim()
}

export function check(tag, { manifest, lock, changelog }) {
  const version = versionOf(tag)
  for (const [name, found] of [
    ['package.json', manifest.version],
    ['package-lock.json', lock.version],
  ])
    if (found !== version) throw new Error(`The tag is ${tag}, but ${name} has the version ${found}`)
  notesOf(changelog, version)
  return version
}

/** The files that the package's users load. npm packs without a word what is there of them. */
export function builtFiles({ bin, main, exports }) {
  const filesOf = (value) => (typeof value === 'string' ? [value] : Object.values(value).flatMap(filesOf))
  return [...new Set(filesOf([bin, main, exports]))]
}

function checkBuilt(manifest) {
  const missing = builtFiles(manifest).filter((file) => !existsSync(join(root, file)))
  if (missing.length > 0) throw new Error(`Run \`npm run build\` first: there is no ${missing.join(', ')}`)
  return 'everything is built'
}

export const channelOf = (tag) => (versionOf(tag).includes('-') ? 'next' : 'latest')

export function imageNames(tag, image) {
  const [, major, minor] = tagForm.exec(`v${versionOf(tag)}`)
  const isRelease = channelOf(tag) === 'latest'
  const tags = [versionOf(tag), ...(isRelease ? [`${major}.${minor}`, 'latest'] : [])]
  // Registries take lower case alone.
  return `tags=${tags.map((one) => `${image.toLowerCase()}:${one}`).join(',')}`
}

const read = (name) => readFileSync(join(root, name), 'utf8')

function run([step, tag = '', image = '']) {
  if (step === 'notes') return notesOf(read('CHANGELOG.md'), versionOf(tag))
  if (step === 'channel') return channelOf(tag)
  if (step === 'image-names') return imageNames(tag, image)
  if (step === 'built') return checkBuilt(JSON.parse(read('package.json')))
  if (step !== 'check') throw new Error('Steps: check, built, notes, channel, image-names')
  const [manifest, lock] = ['package.json', 'package-lock.json'].map((name) => JSON.parse(read(name)))
  return `${check(tag, { manifest, lock, changelog: read('CHANGELOG.md') })} can be released`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  try {
    console.log(run(process.argv.slice(2)))
  } catch (error) {
    console.error(`release: ${error.message}`)
    process.exitCode = 1
  }
