// Learns which sessions of a shop end in a sale; plain JavaScript, every batch is kept for a chart at the end.
'use strict'

let seed = 42
const random = () => (seed = (seed * 1664525 + 1013904223) % 4294967296) / 4294967296
const normal = () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random())
const truth = Array.from({ length: 60 }, normal)
const w = new Array(60).fill(0)
const history = []

function batch (size) {
  const rows = []
  for (let i = 0; i < size; i++) {
    const x = Array.from({ length: 60 }, normal)
    const z = x.reduce((sum, v, k) => sum + v * truth[k], 0)
    rows.push({ session: `s${seed}`, x, y: z + 2 * normal() > 0 ? 1 : 0 })
  }
  return rows
}

const sleep = ms => new Promise(resolve => setTimeout(resolve, ms))

async function main () {
  console.log(`node ${process.version}, 60 features, 400 steps`)
  for (let step = 1; step <= 400; step++) {
    const rows = batch(1500)
    let loss = 0
    for (const { x, y } of rows) {
      const p = 1 / (1 + Math.exp(-x.reduce((sum, v, k) => sum + v * w[k], 0)))
      loss -= y ? Math.log(p + 1e-9) : Math.log(1 - p + 1e-9)
      for (let k = 0; k < 60; k++) w[k] -= 0.002 * (p - y) * x[k]
    }
    history.push({ step, rows, loss: loss / rows.length })
    if (step % 10 === 0) console.log(`step ${step}/400 - loss: ${(loss / rows.length).toFixed(4)} - heap: ${(process.memoryUsage().heapUsed / 1e6).toFixed(0)} MB`)
    await sleep(120)
  }
  console.log('done')
}

main()
