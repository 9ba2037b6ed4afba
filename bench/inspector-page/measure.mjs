// What runs inside the page: each measure resolves with milliseconds. Functions are sent to the browser as text, so they use nothing
// from outside.

/** From the click on a row of the list to the frame that shows the call of its answer. */
export function paintAfterClick({ title, shows }) {
  return new Promise((resolve, reject) => {
    const row = [...document.querySelectorAll('[role=option]')].find((one) => one.textContent.includes(title))
    if (!row) return reject(new Error(`no row "${title}" in view`))
    const isThere = () => document.querySelector('.transcript')?.textContent.includes(shows)
    const from = performance.now()
    const done = () => {
      observer.disconnect()
      // The second callback comes after the frame of the first was painted.
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - from)))
    }
    const observer = new MutationObserver(() => isThere() && done())
    observer.observe(document.body, { childList: true, subtree: true, characterData: true })
    row.click()
    if (isThere()) done()
    setTimeout(() => reject(new Error(`"${shows}" was not shown in 30 s`)), 30_000)
  })
}

/** The longest time between two frames while the element with `selector` is scrolled through, by its scrolling ancestor. */
export function longestFrame({ selector, steps, pixels }) {
  return new Promise((resolve, reject) => {
    const start = document.querySelector(selector)
    if (!start) return reject(new Error(`there is no ${selector}`))
    const scrolls = (one) =>
      one.scrollHeight > one.clientHeight + 10 && /auto|scroll/.test(getComputedStyle(one).overflowY)
    let box = start
    while (box && !scrolls(box)) box = box.parentElement
    box ??= document.scrollingElement
    let [longest, last, left] = [0, undefined, steps]
    box.scrollTop = 0
    const onFrame = (at) => {
      if (last !== undefined) longest = Math.max(longest, at - last)
      last = at
      if (left-- === 0)
        return box.scrollTop === 0 ? reject(new Error(`${selector} did not scroll`)) : resolve(longest)
      box.scrollTop += pixels
      requestAnimationFrame(onFrame)
    }
    requestAnimationFrame(onFrame)
  })
}

/** From a key in the filter to the frame with another number of turns. */
export function paintAfterKey({ text }) {
  return new Promise((resolve, reject) => {
    const input = document.querySelector('input[type=search]')
    const tally = document.querySelector('.tally [role=status]')
    const before = tally.textContent
    const from = performance.now()
    const done = () => {
      observer.disconnect()
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - from)))
    }
    const observer = new MutationObserver(() => tally.textContent !== before && done())
    observer.observe(tally, { childList: true, subtree: true, characterData: true })
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
    set.call(input, text)
    input.dispatchEvent(new InputEvent('input', { bubbles: true }))
    setTimeout(() => reject(new Error(`the filter "${text}" changed nothing in 30 s`)), 30_000)
  })
}
