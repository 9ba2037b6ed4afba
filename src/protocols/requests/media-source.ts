// Pictures and files by their URL, where a data URL holds the thing itself.

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
