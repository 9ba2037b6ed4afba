// Images and files by URL; a data URL contains the data itself.

import { invalid } from './decode.ts'

const dataUrl = /^data:([^;,]*)(?:;[^;,]*)*?(;base64)?,/

export function mediaSource(
  url: string,
  path: string,
): { url: string } | { mediaType: string; data: string } {
  if (!url.startsWith('data:')) return { url }
  const match = dataUrl.exec(url.slice(0, 256))
  if (!match?.[2]) throw invalid(path, 'is not a base64 data URL (data:MEDIA/TYPE;base64,…)')
  return { mediaType: match[1] ?? '', data: url.slice(match[0].length) }
}
