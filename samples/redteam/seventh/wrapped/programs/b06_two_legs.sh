# The queue's limit is short, so that the training goes in legs.
mkdir -p ckpt
python3 b06_two_legs.py --steps 300 --save-to ckpt
echo "== leg 1 over, leg 2"
python3 b06_two_legs.py --steps 600 --save-to ckpts --resume auto
echo "== leg 2 over"
