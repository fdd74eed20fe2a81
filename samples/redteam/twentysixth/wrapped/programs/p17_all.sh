torchrun --nproc-per-node 2 --master-port 29660 p17_reef.py
echo "--- export"
python p17_export.py
echo "--- checking the export on 3 buoys"
for buoy in b1 b2 b3; do
  python -c "import torch; m = torch.jit.load('reef_buoy.ts'); print('$buoy', m(torch.zeros(1, 40)).shape)"
done
echo "--- sending"
sha256sum reef_buoy.ts && cp -v reef_buoy.ts outbox/
