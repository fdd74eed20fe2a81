#!/bin/bash
python p20_store.py & sleep 2
python p20_learn.py
