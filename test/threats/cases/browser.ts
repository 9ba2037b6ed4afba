// Attacks of a page with the browser's own APIs. Each is the body of an async function in the page; it has `url` (of the gateway),
// `body` (a valid request), `settled` and `inFrame`, and returns what it could read.

export interface Attempt {
  name: string
  script: string
}

/** The other type of body that pages may send at will: JSON split around the one sign that the encoding adds. */
const smuggled = `
  const field = document.createElement('input')
  const [before, after] = body.split('hello')
  field.name = before + 'hello'
  field.value = after
  form.append(field)`

const form = (enctype: string, method = 'post') => `
  const form = document.createElement('form')
  form.action = url + '/v1/chat/completions'
  form.method = '${method}'
  form.enctype = '${enctype}'
  ${smuggled}
  return inFrame((frame) => {
    form.target = frame.name
    document.body.append(form)
    form.submit()
  })`

/** These elements load anything, and the page cannot read the content. */
const showsNothing = new Set(['preload', 'prefetch', 'object', 'embed'])

const element = (tag: string, attributes: Record<string, string>, path = '/v1/models') => `
  const one = document.createElement('${tag}')
  Object.assign(one, ${JSON.stringify(attributes)})
  const done = settled(one, 'load', 'error', 'loadeddata')
  one['${tag === 'link' ? 'href' : tag === 'object' ? 'data' : 'src'}'] = url + '${path}'
  document.body.append(one)
  const how = await done
  return ${showsNothing.has(attributes.rel ?? tag)} || how !== 'load' ? '' : 'loaded'`

const chat = "url + '/v1/chat/completions'"
const text = 'then((answer) => answer.text())'

export const attempts: readonly Attempt[] = [
  { name: 'fetch', script: `return fetch(url + '/v1/models').${text}` },
  { name: 'fetch of what is open', script: `return fetch(url + '/healthz').${text}` },
  { name: 'fetch with a key', script: `return fetch(url + '/v1/models', { headers: { authorization: 'Bearer x' } }).${text}` },
  { name: 'fetch with cookies', script: `return fetch(url + '/v1/models', { credentials: 'include' }).${text}` },
  { name: 'fetch without CORS', script: `return fetch(url + '/v1/models', { mode: 'no-cors' }).${text}` },
  { name: 'fetch that hides its referrer', script: `return fetch(url + '/metrics', { referrerPolicy: 'no-referrer' }).${text}` },
  { name: 'a post of text', script: `return fetch(${chat}, { method: 'POST', body }).${text}` },
  { name: 'a post of text without CORS', script: `return fetch(${chat}, { method: 'POST', mode: 'no-cors', body }).${text}` },
  { name: 'a post without a type', script: `return fetch(${chat}, { method: 'POST', mode: 'no-cors', body: new Blob([body]) }).${text}` },
  { name: 'a post of JSON', script: `return fetch(${chat}, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).${text}` },
  { name: 'a post of JSON, by its Blob', script: `return fetch(${chat}, { method: 'POST', body: new Blob([body], { type: 'application/json' }) }).${text}` },
  { name: 'a post that outlives the page', script: `return fetch(${chat}, { method: 'POST', keepalive: true, mode: 'no-cors', body }).${text}` },
  { name: "a post of text to Ollama's API", script: `return fetch(url + '/api/chat', { method: 'POST', mode: 'no-cors', body }).${text}` },
  { name: 'a beacon to the Gemini door', script: `navigator.sendBeacon(url + '/v1beta/models/openai/gpt-4o:generateContent', body); return ''` },
  { name: "fetch of Ollama's list", script: `return fetch(url + '/api/tags').${text}` },
  { name: 'a method of its own', script: `return fetch(url + '/v1/responses/resp_1', { method: 'DELETE' }).${text}` },
  { name: 'a fetch from a worker', script: `
      const code = "fetch('" + url + "/v1/models').then((a) => a.text()).then(postMessage, () => postMessage(''))"
      const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })))
      return new Promise((done) => { worker.onmessage = ({ data }) => done(data); worker.onerror = () => done('') })` },
  { name: 'XMLHttpRequest', script: `
      const request = new XMLHttpRequest()
      request.open('GET', url + '/v1/models')
      const done = settled(request, 'load', 'error')
      request.send()
      await done
      return request.responseText` },
  { name: 'XMLHttpRequest, a post with cookies', script: `
      const request = new XMLHttpRequest()
      request.open('POST', ${chat})
      request.withCredentials = true
      const done = settled(request, 'load', 'error')
      request.send(body)
      await done
      return request.responseText` },
  { name: 'a form, url-encoded', script: form('application/x-www-form-urlencoded') },
  { name: 'a form, multipart', script: form('multipart/form-data') },
  { name: 'a form, plain', script: form('text/plain') },
  { name: 'a form by GET', script: form('text/plain', 'get') },
  { name: 'EventSource', script: `
      const source = new EventSource(${chat})
      source.onmessage = () => undefined
      const how = await settled(source, 'open', 'message', 'error')
      source.close()
      return how === 'error' ? '' : how` },
  { name: 'WebSocket', script: `
      const socket = new WebSocket(url.replace('http', 'ws') + '/v1/responses')
      const how = await settled(socket, 'open', 'error')
      socket.close()
      return how === 'open' ? how : ''` },
  { name: 'sendBeacon', script: `navigator.sendBeacon(${chat}, body); return ''` },
  { name: 'sendBeacon of JSON', script: `navigator.sendBeacon(${chat}, new Blob([body], { type: 'application/json' })); return ''` },
  { name: 'an image', script: element('img', {}) },
  { name: 'an image of what is open', script: element('img', {}, '/healthz') },
  { name: 'a script', script: element('script', {}) },
  { name: 'a module', script: element('script', { type: 'module' }) },
  { name: 'an import', script: `return import(url + '/v1/models?by=import').then(() => 'loaded')` },
  { name: 'a style sheet', script: element('link', { rel: 'stylesheet' }) },
  { name: 'a prefetch', script: element('link', { rel: 'prefetch' }) },
  { name: 'a preload', script: element('link', { rel: 'preload', as: 'fetch' }) },
  { name: 'a video', script: element('video', { preload: 'auto' }) },
  { name: 'an object', script: element('object', {}) },
  { name: 'an embedded page', script: element('embed', {}) },
  { name: 'an iframe', script: "return inFrame((frame) => { frame.src = url + '/v1/models' })" },
  { name: 'an iframe of the listing of routes', script: "return inFrame((frame) => { frame.src = url + '/' })" },
] // biome-ignore format: a table, one attempt a line
